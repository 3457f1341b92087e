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
    public var damage: AudioDamage? { source.damage }

    /// What users should know of its tracks: that several are mixed, or that some cannot be read.
    package var mixing: String? { source.remark }

    private let name: String
    private let source: LinkedSound
    private var floats: [Float] = []
    private var int16s: [Int16] = []
    private var framesRead = 0

    /// Opens the file at `path`.
    ///
    /// - Parameter track: The number of the audio track to read, from 1; nil for the mean of all.
    /// - Throws: ``AudioFileError`` if it is missing, not readable, not audio within the limits of ``AudioFile``, or
    ///   without that track.
    public convenience init(path: String, track: Int? = nil) throws {
        try self.init(path: path, track: track, in: DecoderSandbox.current)
    }

    /// Opens the file at `path`, whose decoders run in `sandbox`.
    package convenience init(path: String, track: Int? = nil, in sandbox: DecoderSandbox?) throws {
        let file = try StoredFile.audio(path: path)
        try self.init(
            file, program: ForeignDecoder(file, in: sandbox, name: path), in: sandbox, track: track,
            name: path)
    }

    /// Opens a whole file in memory; errors call it `name`.
    /// - Throws: ``AudioFileError``, as ``init(path:)`` does.
    public convenience init(bytes: [UInt8], name: String) throws {
        try self.init(bytes: bytes, name: name, startsPrograms: true, in: nil)
    }

    /// Opens a whole file in memory.
    ///
    /// - Parameters:
    ///   - startsPrograms: Whether `ffmpeg` decodes what libsndfile does not read; otherwise that is not audio.
    ///   - sandbox: Where decoders run; nil for this process.
    package convenience init(
        bytes: [UInt8], name: String, startsPrograms: Bool, in sandbox: DecoderSandbox?
    ) throws {
        guard !bytes.isEmpty else { throw StoredFile.empty(name) }
        let file = MemoryFile(bytes)
        try self.init(
            file, program: startsPrograms ? ForeignDecoder(file, in: sandbox, name: name) : nil, in: sandbox,
            track: nil, name: name)
    }

    private init(
        _ file: VirtualFile, program: ForeignDecoder?, in sandbox: DecoderSandbox?, track: Int?, name: String
    ) throws {
        source = try LinkedSound(file, program: program, in: sandbox, track: track, name: name)
        self.name = name
        formatName = source.formatName
        linearSamples = source.linearSamples
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
        if source.holdsInt16 {
            if int16s.count < sampleCount { int16s = [Int16](repeating: 0, count: sampleCount) }
            let frames = try int16s.withUnsafeMutableBufferPointer {
                try source.read(into: UnsafeMutableBufferPointer(rebasing: $0[..<sampleCount]))
            }
            // Nil where the samples of a joined file of another kind begin.
            if let frames {
                guard try count(frames) else { return nil }
                return try int16s.withUnsafeBufferPointer {
                    try body(.int16(UnsafeBufferPointer(rebasing: $0[..<(frames * channelCount)])))
                }
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
