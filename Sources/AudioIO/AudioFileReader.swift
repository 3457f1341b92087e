import AudioCore

/// Reads an audio file block by block.
///
/// Memory is constant for files that libsndfile reads. Other files are decoded by `ffmpeg` when the reader is made.
public final class AudioFileReader {
    /// The sample rate in hertz.
    public let sampleRate: Int
    /// The number of channels.
    public let channelCount: Int
    /// The container and codec in words.
    public let formatName: String
    /// How the file stores samples; nil if they are compressed.
    public let linearSamples: LinearSamples?

    var expectedFrames: Int { source.expectedFrames }

    private let name: String
    private let source: any SampleSource
    /// The source, if its samples are 16-bit integers.
    private let int16Source: SoundFile?
    private var floats: [Float] = []
    private var int16s: [Int16] = []
    private var framesRead = 0

    /// Opens the file at `path`.
    /// - Throws: ``AudioFileError`` if it is missing, not readable, or not audio within the limits of ``AudioFile``.
    public convenience init(path: String) throws {
        let head = try FileHead(path: path)
        do {
            try self.init(SoundFile(path: path), name: path)
        } catch let error as AudioFileError where error.code == .notAudio {
            let decoder = ForeignDecoder(name: path, content: head.content, refusal: error.message)
            try self.init(decoder.decode(path: path), name: path)
        }
    }

    /// Opens a whole file in memory; errors call it `name`.
    /// - Throws: ``AudioFileError``, as ``init(path:)`` does.
    public convenience init(bytes: [UInt8], name: String) throws {
        guard !bytes.isEmpty else { throw FileHead.emptyFile(name) }
        do {
            try self.init(SoundFile(bytes: bytes, name: name), name: name)
        } catch let error as AudioFileError where error.code == .notAudio {
            let content = MediaContent(of: bytes[..<min(bytes.count, FileHead.length)])
            let decoder = ForeignDecoder(name: name, content: content, refusal: error.message)
            try self.init(decoder.decode(bytes: bytes), name: name)
        }
    }

    private init(_ source: any SampleSource, name: String) throws {
        self.source = source
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
                let frames = int16Source.read(
                    into: UnsafeMutableBufferPointer(rebasing: buffer[..<sampleCount]))
                guard try count(frames) else { return nil }
                return try body(.int16(UnsafeBufferPointer(rebasing: buffer[..<(frames * channelCount)])))
            }
        }
        if floats.count < sampleCount { floats = [Float](repeating: 0, count: sampleCount) }
        return try floats.withUnsafeMutableBufferPointer { buffer in
            let frames = source.read(into: UnsafeMutableBufferPointer(rebasing: buffer[..<sampleCount]))
            let block = UnsafeBufferPointer(rebasing: buffer[..<(frames * channelCount)])
            try checkFinite(block)
            guard try count(frames) else { return nil }
            return try body(.float(block))
        }
    }

    /// Returns false at the end.
    private func count(_ frames: Int) throws -> Bool {
        framesRead += frames
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
        guard let error = source.decodingError else { return "\(formatName) without a single sample" }
        return "\(formatName), of which no sample could be decoded (\(error))"
    }
}

/// How a file stores samples that are not compressed, except for the byte order.
public struct LinearSamples: Sendable, Equatable {
    /// The bits of a sample: 8, 16, 24, 32 or 64.
    public let bits: Int
    /// Whether samples are floats rather than integers.
    public let isFloat: Bool
}
