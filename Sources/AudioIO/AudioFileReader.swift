import AudioCore

/// Reads an audio file block by block.
///
/// Memory does not grow with the file. What libsndfile does not read, `ffmpeg` decodes while it is read.
///
/// A damaged file gives the audio that can be decoded, and ``damage`` says where some is missing. Where the file states times, silence
/// takes the place of what is missing, so that later times stay true. Otherwise the audio ends there.
public final class AudioFileReader {
    /// The sample rate in hertz.
    public let sampleRate: Int
    /// The number of channels.
    public let channelCount: Int
    /// The container and codec in words.
    public let formatName: String
    /// The number of audio tracks that are mixed.
    public var trackCount: Int { source.trackCount }
    /// How the file stores samples; nil if they are compressed.
    public let linearSamples: LinearSamples?

    /// The number of frames that the header states, which may be wrong.
    package var expectedFrames: Int { source.expectedFrames }

    /// The first place where audio is missing, as far as the file was read; complete at the end.
    public var damage: AudioDamage? {
        if let damage = source.damage { return damage }
        guard isAtEnd, isCutShort else { return nil }
        return AudioDamage(
            seconds: Double(framesRead) / Double(sampleRate), reason: "the file ends before its audio does")
    }

    /// What users should know of several tracks; nil of one.
    package var mixing: String? {
        guard trackCount > 1 else { return nil }
        return "its \(trackCount) audio tracks are mixed; each is harder to recognise than alone"
    }

    private let name: String
    /// Whether the header states more bytes than the file has.
    private let isCutShort: Bool
    private var isAtEnd = false
    private let source: any SampleSource
    /// The source, if its samples are 16-bit integers.
    private let int16Source: SoundFile?
    private var floats: [Float] = []
    private var int16s: [Int16] = []
    private var framesRead = 0

    /// Opens the file at `path`.
    ///
    /// - Parameter track: The number of the audio track to read, from 1; nil for the mean of all.
    /// - Throws: ``AudioFileError`` if it is missing, not readable, not audio within the limits of ``AudioFile``, or
    ///   without that track.
    public convenience init(path: String, track: Int? = nil) throws {
        let head = try FileHead(path: path)
        do {
            let source = try Self.source(StoredFile(path: path), content: head.content, name: path)
            try Self.requireTrack(track, of: 1, name: path)
            try self.init(source, name: path, isCutShort: head.isCutShort)
        } catch let error as AudioFileError where error.code == .notAudio {
            let decoder = ForeignDecoder(
                name: path, content: head.content, refusal: error.message, track: track)
            try self.init(decoder.decode(path: path), name: path)
        }
    }

    static func requireTrack(_ track: Int?, of count: Int, name: String) throws {
        if let track, !(1...count).contains(track) {
            throw AudioFileError(
                .missingTrack, path: name,
                "has no audio track \(track); expected a number from 1 to \(count)")
        }
    }

    /// Opens a whole file in memory; errors call it `name`.
    /// - Throws: ``AudioFileError``, as ``init(path:)`` does.
    public convenience init(bytes: [UInt8], name: String) throws {
        try self.init(bytes: bytes, name: name, startsPrograms: true)
    }

    /// Opens a whole file in memory.
    ///
    /// - Parameter startsPrograms: Whether `ffmpeg` decodes what libsndfile does not read; otherwise that is not audio.
    package convenience init(bytes: [UInt8], name: String, startsPrograms: Bool) throws {
        guard !bytes.isEmpty else { throw FileHead.emptyFile(name) }
        let head = FileHead(bytes[..<min(bytes.count, FileHead.length)], byteCount: bytes.count)
        do {
            try self.init(
                Self.source(MemoryFile(bytes), content: head.content, name: name), name: name,
                isCutShort: head.isCutShort)
        } catch let error as AudioFileError where error.code == .notAudio && startsPrograms {
            let decoder = ForeignDecoder(name: name, content: head.content, refusal: error.message)
            try self.init(decoder.decode(bytes: bytes), name: name)
        }
    }

    private static func source(
        _ file: VirtualFile, content: MediaContent, name: String
    ) throws -> any SampleSource {
        if content.isOgg {
            if let map = OggMap(file), !map.isPlain { return try OggRuns(map, of: file, name: name) }
            return try SoundFile(file, promises: false, name: name)
        }
        guard content.isMPEG else { return try SoundFile(file, promises: true, name: name) }
        let audio = MPEGAudio(file)
        return try SoundFile(
            FileParts([audio.bytes], of: file), promises: audio.statesLength, name: name)
    }

    private init(_ source: any SampleSource, name: String, isCutShort: Bool = false) throws {
        self.source = source
        self.isCutShort = isCutShort
        self.name = name
        int16Source = (source as? SoundFile).flatMap { $0.holdsInt16 ? $0 : nil }
        formatName = source.formatName
        linearSamples = (source as? SoundFile)?.linearSamples
        sampleRate = source.sampleRate
        channelCount = source.channelCount
        guard AudioFile.sampleRates.contains(sampleRate) else {
            throw AudioFileError(
                .unsupportedSampleRate, path: name,
                "the header says \(sampleRate) Hz; expected \(AudioFile.sampleRates.lowerBound) to "
                    + "\(AudioFile.sampleRates.upperBound) Hz")
        }
        guard AudioFile.channelCounts.contains(channelCount) else {
            throw AudioFileError(
                .unsupportedChannelCount, path: name,
                "the header says \(channelCount) channels; expected \(AudioFile.channelCounts.lowerBound) to "
                    + "\(AudioFile.channelCounts.upperBound)")
        }
    }

    /// Reads the next frames, at most `maxFrames`; nil at the end.
    /// - Throws: ``AudioFileError`` if the whole file has no sample, or a sample is not a finite number.
    public func read(maxFrames: Int) throws -> AudioBuffer? {
        try withNextBlock(maxFrames: maxFrames) { block in
            block.audio(sampleRate: sampleRate, channelCount: channelCount)
        }
    }

    /// Reads the next frames, at most `maxFrames`, and lends them to `body` without a copy; nil at the end.
    /// - Throws: ``AudioFileError``, as ``read(maxFrames:)`` does, and the errors of `body`.
    public func withNextBlock<R>(maxFrames: Int, _ body: (InterleavedSamples) throws -> R) throws -> R? {
        precondition(maxFrames >= 1, "cannot read \(maxFrames) frames")
        let sampleCount = maxFrames * channelCount
        if let int16Source {
            if int16s.count < sampleCount { int16s = [Int16](repeating: 0, count: sampleCount) }
            return try int16s.withUnsafeMutableBufferPointer { buffer in
                let frames = try int16Source.read(
                    into: UnsafeMutableBufferPointer(rebasing: buffer[..<sampleCount]))
                guard try count(frames) else { return nil }
                return try body(.int16(UnsafeBufferPointer(rebasing: buffer[..<(frames * channelCount)])))
            }
        }
        if floats.count < sampleCount { floats = [Float](repeating: 0, count: sampleCount) }
        return try floats.withUnsafeMutableBufferPointer { buffer in
            let frames = try source.read(into: UnsafeMutableBufferPointer(rebasing: buffer[..<sampleCount]))
            let block = UnsafeBufferPointer(rebasing: buffer[..<(frames * channelCount)])
            try checkFinite(block)
            guard try count(frames) else { return nil }
            return try body(.float(block))
        }
    }

    /// Returns false at the end.
    private func count(_ frames: Int) throws -> Bool {
        framesRead += frames
        if frames == 0 { isAtEnd = true }
        if framesRead == 0 { throw AudioFileError(.noSamples, path: name, noSamplesMessage) }
        return frames > 0
    }

    private func checkFinite(_ block: UnsafeBufferPointer<Float>) throws {
        // Only finite numbers times zero are zero.
        var sum = SIMD8<Float>(repeating: 0)
        let raw = UnsafeRawBufferPointer(block)
        let whole = block.count / 8 * 8
        for byte in stride(from: 0, to: whole * 4, by: 32) {
            sum += raw.loadUnaligned(fromByteOffset: byte, as: SIMD8<Float>.self) * 0
        }
        guard sum.sum() != 0 || !block[whole...].allSatisfy(\.isFinite) else { return }
        guard let index = block.firstIndex(where: { !$0.isFinite }) else { return }
        let (frame, channel) = index.quotientAndRemainder(dividingBy: channelCount)
        throw AudioFileError(
            .notFinite, path: name,
            "sample \(framesRead + frame) of channel \(channel) is not a finite number")
    }

    private var noSamplesMessage: String {
        guard let damage = source.damage else { return "\(formatName) without a single sample" }
        return "\(formatName), of which no sample could be decoded (\(damage.reason))"
    }
}

/// How a file stores samples that are not compressed, except for the byte order.
public struct LinearSamples: Sendable, Equatable {
    /// The bits of a sample: 8, 16, 24, 32 or 64.
    public let bits: Int
    /// Whether samples are floats rather than integers.
    public let isFloat: Bool
}
