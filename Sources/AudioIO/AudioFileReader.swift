import AudioCore

/// Reads an audio file block by block.
///
/// Memory does not grow with the file. libsndfile reads what it knows, as far as the headers are right. Samples behind a
/// stated length are read without a header. `ffmpeg` decodes the rest while it is read. The recordings of a file are
/// read one after the other, in the format of the first.
///
/// A damaged file gives the audio that can be decoded, and ``damage`` says where some is missing. Where the file states times, silence
/// takes the place of what is missing, so that later times stay true. Otherwise the audio ends there.
public final class AudioFileReader {
    /// The sample rate in hertz.
    public var sampleRate: Int { units.facts.sampleRate }
    /// The number of channels.
    public var channelCount: Int { units.facts.channelCount }
    /// The container and codec in words.
    public var formatName: String { units.facts.formatName }
    /// The number of audio tracks that are mixed.
    public var trackCount: Int { units.facts.trackCount }
    /// How the file stores samples; nil if they are compressed.
    public var linearSamples: LinearSamples? { units.facts.linearSamples }

    /// The number of frames that the header states, which may be wrong.
    package var expectedFrames: Int { units.facts.expectedFrames }

    /// The first place where audio is missing, as far as the file was read; complete at the end.
    public var damage: AudioDamage? { units.damage }

    /// What users should know of it that is no damage, such as that tracks are mixed.
    package var remark: String? { units.remark }

    private let name: String
    private let units: any FileUnits
    private var framesRead = 0
    /// What was decoded at once, and how much of it the caller has had.
    private var block = InterleavedSamples.float(UnsafeBufferPointer(start: nil, count: 0))
    private var lent = 0

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
            file, others: ForeignDecoder(file, name: path), in: sandbox, track: track, name: path)
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
            file, others: startsPrograms ? ForeignDecoder(file, name: name) : nil, in: sandbox, track: nil,
            name: name)
    }

    /// Whether `ffmpeg` decodes the file at `path`, without starting it.
    package static func needsProgram(path: String) -> Bool {
        do {
            let file = try StoredFile.audio(path: path)
            _ = try AudioFileReader(file, others: NoProgram(name: path), in: .current, track: nil, name: path)
            return false
        } catch { return (error as? AudioFileError)?.code == .decoderMissing }
    }

    private init(
        _ file: VirtualFile, others: (any ForeignPrograms)?, in sandbox: DecoderSandbox?, track: Int?,
        name: String
    ) throws {
        self.name = name
        units =
            if let sandbox {
                try ConfinedSound(file, others: others, track: track, in: sandbox, name: name)
            } else {
                try FileSound(file, others: others, track: track, name: name)
            }
    }

    /// What the tags say, once all frames were read.
    package func tags() throws -> AudioTags { try units.tags() }

    /// Reads the next frames, `maxFrames` unless the file ends; nil at the end.
    /// - Throws: ``AudioFileError`` if the whole file has no sample, or a sample is not a finite number.
    public func read(maxFrames: Int) throws -> AudioBuffer? {
        let audio = try AudioFile.read(self, atMost: .max, frames: maxFrames)
        return audio?.frameCount == 0 ? nil : audio
    }

    /// Reads the next frames, at most `maxFrames`, and lends them to `body` without a copy; nil at the end.
    /// - Throws: ``AudioFileError``, as ``read(maxFrames:)`` does, and the errors of `body`.
    public func withNextBlock<R>(maxFrames: Int, _ body: (InterleavedSamples) throws -> R) throws -> R? {
        precondition(maxFrames >= 1, "cannot read \(maxFrames) frames")
        if lent == block.count { try decode() }
        guard lent < block.count else { return nil }
        let start = lent
        lent += min(block.count - lent, maxFrames * channelCount)
        return try body(block[start..<lent])
    }

    /// Decodes the next frames and keeps none of them; returns their number, which is only less than wanted at the end.
    package func skip(_ frames: Int = .max) throws -> Int {
        var count = 0
        while count < frames,
            let more = try withNextBlock(maxFrames: min(frames - count, 65_536), { $0.count / channelCount })
        {
            count += more
        }
        return count
    }

    /// Decodes the next samples.
    private func decode() throws {
        framesRead += block.count / channelCount
        lent = 0
        repeat {
            let (unit, samples) = try units.read()
            block = samples
            if unit.isLast { break }
        } while block.count == 0
        if case .float(let samples) = block { try checkFinite(samples) }
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
}

/// How a file stores samples that are not compressed, except for the byte order.
public struct LinearSamples: Codable, Sendable, Equatable {
    /// The bits of a sample: 8, 16, 24, 32 or 64.
    public let bits: Int
    /// Whether samples are floats rather than integers.
    public let isFloat: Bool
}
