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
    public let sampleRate: Int
    /// The number of channels.
    public let channelCount: Int
    /// The container and codec in words.
    public let formatName: String
    /// The number of audio tracks that are mixed.
    public let trackCount: Int
    /// How the file stores samples; nil if they are compressed.
    public let linearSamples: LinearSamples?

    /// The number of frames that the header states, which may be wrong.
    package let expectedFrames: Int

    /// The first place where audio is missing, as far as the file was read; complete at the end.
    public var damage: AudioDamage? {
        noted ?? current.damage.map { AudioDamage(seconds: $0.seconds + seconds(origin), reason: $0.reason) }
    }

    /// What users should know of its tracks: that several are mixed, or that some cannot be read.
    package let mixing: String?

    private let name: String
    private let file: VirtualFile
    private let program: ForeignDecoder?
    private let sandbox: DecoderSandbox?
    private var link: AudioLink
    private var current: any SampleSource
    private var noted: AudioDamage?
    private var framesRead = 0
    /// The frame at which the current source began.
    private var origin = 0
    /// Where in the file it began, unless its bytes are counted.
    private var start: Int
    private var isAtEnd = false
    /// Room for the samples that are decoded at once.
    private let unit: UnsafeMutableRawBufferPointer
    private var isInt16 = false
    /// How many samples it has, and how many of them the caller has had.
    private var decoded = 0
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
        self.name = name
        self.file = file
        self.program = program
        self.sandbox = sandbox
        link = AudioLink(at: 0, in: file)
        start = link.bytes.lowerBound
        guard link.mayHoldAudio else {
            throw AudioFileError(
                .notAudio, path: name, "found \(link.content.name); expected an audio file")
        }
        do {
            current = try Self.sound(&link, of: file, in: sandbox, name: name)
            try ForeignDecoder.requireTrack(track, of: 1, name: name)
        } catch let error as AudioFileError where error.code == .notAudio {
            try file.expectNoFailure(name: name)
            guard let program else { throw error }
            current = try program.decode(link, refusal: error.message, track: track)
        }
        linearSamples = (current as? SoundFile)?.linearSamples
        sampleRate = current.sampleRate
        channelCount = current.channelCount
        formatName = current.formatName
        expectedFrames = current.expectedFrames
        trackCount = current.trackCount
        mixing = current.remark
        try AudioFile.require(
            sampleRate: sampleRate, channelCount: channelCount, of: "the header says", name: name)
        unit = .allocate(
            byteCount: SoundFacts.unitFrames * channelCount * MemoryLayout<Float>.stride, alignment: 16)
    }

    deinit { unit.deallocate() }

    /// Whether libsndfile does not read the beginning of the file, and ffmpeg may.
    static func needsProgram(_ file: VirtualFile) -> Bool {
        var link = AudioLink(at: 0, in: file)
        return link.mayHoldAudio
            && (try? sound(&link, of: file, in: DecoderSandbox.current, name: "")) == nil
    }

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
        if lent == decoded { try decode() }
        guard lent < decoded else { return nil }
        let start = lent
        lent += min(decoded - lent, maxFrames * channelCount)
        return try body(samples(start..<lent))
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

    private func samples(_ range: Range<Int>) -> InterleavedSamples {
        let size = isInt16 ? 2 : 4
        let bytes = UnsafeRawBufferPointer(
            rebasing: unit[(range.lowerBound * size)..<(range.upperBound * size)])
        return isInt16 ? .int16(bytes.bindMemory(to: Int16.self)) : .float(bytes.bindMemory(to: Float.self))
    }

    /// Decodes the next samples.
    private func decode() throws {
        (lent, decoded) = (0, 0)
        while decoded == 0, !isAtEnd {
            isInt16 = current.holdsInt16
            let frames = try current.read(into: unit)
            if case .float(let block) = samples(0..<(frames * channelCount)) { try checkFinite(block) }
            decoded = frames * channelCount
            framesRead += frames
            if frames < SoundFacts.unitFrames { try advance() }
        }
        if framesRead == 0 { throw AudioFileError(.noSamples, path: name, noSamplesMessage) }
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
        guard let damage else { return "\(formatName) without a single sample" }
        return "\(formatName), of which no sample could be decoded (\(damage.reason))"
    }

    /// Opens what follows the current source.
    private func advance() throws {
        // What the disk does not give is not missing in the file.
        try file.expectNoFailure(name: name)
        noted = damage
        if link.isCutShort { note("the file ends before its audio does") }
        if link.isBroken { note(Self.brokenPages) }
        let (ended, length) = (current as? SoundFile, framesRead - origin)
        origin = framesRead
        if let ended, !ended.hasFailed {
            if let counted = link.countedFrames {
                // The decoder may leave out the delay and the padding of the encoder.
                if length < counted - Self.longestDelay, try readOn(after: length) { return }
            } else if let unread = link.unread(from: start + ended.position, in: file) {
                if link.content.isFLAC, let next = nextHeader(near: unread.lowerBound) {
                    if try open(next) { return }
                } else if let samples = ended.bareSamples {
                    if unread.count >= samples.frameBytes {
                        start = unread.lowerBound
                        current = try SoundFile(
                            SoundPlace(parts: [unread], samples: samples), of: file, in: sandbox,
                            promises: false, name: name)
                        return
                    }
                } else if link.content.isFLAC || unread.count > Self.longestRemainder,
                    try readOn(after: length)
                {
                    return
                }
            }
        }
        if link.end < file.byteCount, try open(link.end) { return }
        isAtEnd = true
    }

    /// Lets `ffmpeg` read what a link has after its first frames; false if that is nothing.
    private func readOn(after frameCount: Int) throws -> Bool {
        try attempt("the header states no right length; the rest is left out") {
            guard let program else { throw AudioFileError(.decoderMissing, path: name, "no program is used") }
            let tracks = try program.decode(
                link, as: format, lengthIsWrong: true, refusal: "its length is wrong")
            guard try tracks.skip(frameCount) else { return false }
            current = tracks
            return true
        }
    }

    private static let brokenPages = "pages are damaged, missing or at wrong times"

    /// More frames than MPEG encoders put before and after the audio.
    private static let longestDelay = 8192
    /// Fewer bytes are parts of blocks, and unknown tags.
    private static let longestRemainder = 8192

    /// The place of another FLAC file, of which a decoder has read a part.
    private func nextHeader(near place: Int) -> Int? {
        let start = max(link.bytes.lowerBound + 4, place - (1 << 15))
        return file.bytes(at: start, 1 << 17).firstRange(of: Array("fLaC\0\0\0\u{22}".utf8)).map {
            start + $0.lowerBound
        }
    }

    private var format: ForeignDecoder.Format {
        ForeignDecoder.Format(sampleRate: sampleRate, channelCount: channelCount)
    }

    /// Opens the recording at `place`; false if it cannot be read.
    private func open(_ place: Int) throws -> Bool {
        link = AudioLink(at: place, in: file)
        start = link.bytes.lowerBound
        guard !link.bytes.isEmpty else { return false }
        return try attempt("\(file.byteCount - place) bytes are left out") {
            var refusal = "another sample rate or number of channels"
            do {
                let sound = try Self.sound(&link, of: file, in: sandbox, name: name)
                if sound.sampleRate == sampleRate, sound.channelCount == channelCount {
                    current = sound
                    return true
                }
            } catch let error as AudioFileError where error.code == .notAudio {
                refusal = error.message
            }
            guard link.mayHoldAudio, let program else {
                throw AudioFileError(.notAudio, path: name, "found \(link.content.name), \(refusal)")
            }
            current = try program.decode(link, as: format, refusal: refusal)
            return true
        }
    }

    /// Names what is lost if `body` fails.
    private func attempt(_ loss: String, _ body: () throws -> Bool) throws -> Bool {
        do { return try body() } catch let error as AudioFileError where !error.isFailureOfReading {
            note("\(loss): \(error.message)")
            return false
        }
    }

    /// Opens a link with libsndfile, and finds its end if its container does not state it.
    private static func sound(
        _ link: inout AudioLink, of file: VirtualFile, in sandbox: DecoderSandbox?, name: String
    ) throws -> SoundFile {
        let content = link.content
        var place = SoundPlace(parts: [link.bytes], lastBlock: content.isFLAC ? 512 : nil)
        var promises = !content.isMPEG
        var damage: AudioDamage?
        if content.isOgg, let map = OggMap(file, from: link.bytes.lowerBound) {
            link.end(at: map.end)
            guard map.isPlain else {
                (link.isBroken, link.startsAtZero) = (true, map.losesBeginning)
                throw AudioFileError(.notAudio, path: name, Self.brokenPages)
            }
            place.parts = [link.bytes]
        } else if content.isMPEG, let frames = MPEGFrames(file, in: link.bytes) {
            link.end(at: frames.end, last: frames.parts.last?.upperBound, frames: frames.sampleCount)
            (place.parts, place.head) = (frames.parts, frames.lengthFrame)
            (promises, damage) = (frames.statesLength, frames.damage)
        } else if content.isUnknown, link.bytes == 0..<file.byteCount, let stored = file as? StoredFile {
            // libsndfile takes any file of this name for MPEG audio, and its decoder complains on standard error.
            guard !name.lowercased().hasSuffix(".mp3") || MPEGFrames(file, in: link.bytes) != nil else {
                throw AudioFileError(.notAudio, path: name, "it has no frames of MPEG audio")
            }
            // Samples without a header are known by the file's extension.
            place.path = stored.path
        }
        return try SoundFile(place, of: file, in: sandbox, promises: promises, name: name, damage: damage)
    }

    private func seconds(_ frames: Int) -> Double { Double(frames) / Double(sampleRate) }

    private func note(_ reason: String) {
        if noted == nil { noted = AudioDamage(seconds: seconds(framesRead), reason: reason) }
    }
}

/// How a file stores samples that are not compressed, except for the byte order.
public struct LinearSamples: Sendable, Equatable {
    /// The bits of a sample: 8, 16, 24, 32 or 64.
    public let bits: Int
    /// Whether samples are floats rather than integers.
    public let isFloat: Bool
}
