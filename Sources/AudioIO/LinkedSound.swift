/// The recordings of a file one after the other, in the format of the first.
///
/// libsndfile reads what it knows, as far as the headers are right. Samples behind a stated length are read without a
/// header. `ffmpeg` reads the rest. What nobody reads is named as damage.
final class LinkedSound: SampleSource {
    let sampleRate: Int
    let channelCount: Int
    let formatName: String
    let expectedFrames: Int
    let remark: String?
    let trackCount: Int
    let linearSamples: LinearSamples?

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
    private var start = 0
    private var isAtEnd = false

    /// - Parameters:
    ///   - program: Reads what libsndfile does not; nil to leave that out.
    ///   - sandbox: Where libsndfile reads; nil for this process.
    init(
        _ file: VirtualFile, program: ForeignDecoder?, in sandbox: DecoderSandbox?, track: Int?, name: String
    ) throws {
        self.name = name
        self.file = file
        self.program = program
        self.sandbox = sandbox
        link = AudioLink(at: 0, in: file)
        start = link.bytes.lowerBound
        guard link.content.mayHoldAudio else {
            throw AudioFileError(
                .notAudio, path: name, "found \(link.content.name); expected an audio file")
        }
        do {
            let sound = try Self.sound(&link, of: file, in: sandbox, name: name)
            try ForeignDecoder.requireTrack(track, of: 1, name: name)
            current = sound
            linearSamples = sound.linearSamples
        } catch let error as AudioFileError where error.code == .notAudio {
            try file.expectNoFailure(name: name)
            guard let program else { throw error }
            current = try program.decode(
                ForeignDecoder.Order(link: link, refusal: error.message, track: track))
            linearSamples = nil
        }
        sampleRate = current.sampleRate
        channelCount = current.channelCount
        formatName = current.formatName
        expectedFrames = current.expectedFrames
        trackCount = current.trackCount
        remark = current.remark
    }

    /// Whether libsndfile does not read the beginning of the file.
    static func needsProgram(_ file: VirtualFile) -> Bool {
        var link = AudioLink(at: 0, in: file)
        return link.content.mayHoldAudio
            && (try? sound(&link, of: file, in: DecoderSandbox.current, name: "")) == nil
    }

    var damage: AudioDamage? {
        noted ?? current.damage.map { AudioDamage(seconds: $0.seconds + seconds(origin), reason: $0.reason) }
    }

    /// The current source, if its samples are 16-bit integers.
    private var int16Source: SoundFile? { (current as? SoundFile).flatMap { $0.holdsInt16 ? $0 : nil } }

    func read(into target: UnsafeMutableBufferPointer<Float>) throws -> Int {
        try read(into: target) { try $0.read(into: $1) } ?? 0
    }

    func read(into target: UnsafeMutableBufferPointer<Int16>) throws -> Int? {
        try read(into: target) { try ($0 as? SoundFile)?.read(into: $1) }
    }

    var holdsInt16: Bool { int16Source != nil }

    /// Nil if the next source has samples of another kind.
    private func read<Sample>(
        into target: UnsafeMutableBufferPointer<Sample>,
        _ readOn: (any SampleSource, UnsafeMutableBufferPointer<Sample>) throws -> Int?
    ) throws -> Int? {
        let wanted = target.count / channelCount * channelCount
        var count = 0
        while count < wanted, !isAtEnd {
            if Sample.self == Int16.self, !holdsInt16 { return count > 0 ? count / channelCount : nil }
            let rest = UnsafeMutableBufferPointer(rebasing: target[count..<wanted])
            let frames = try readOn(current, rest) ?? 0
            framesRead += frames
            count += frames * channelCount
            if frames * channelCount < rest.count { try advance() }
        }
        return count / channelCount
    }

    /// Opens what follows the current source.
    private func advance() throws {
        // What the disk does not give is not missing in the file.
        try file.expectNoFailure(name: name)
        noted = damage
        if link.isCutShort { note("the file ends before its audio does") }
        if link.isBroken { note("pages are damaged or missing") }
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
        guard let program else {
            note("the header states no right length; the rest is left out")
            return false
        }
        do {
            let tracks = try program.decode(
                ForeignDecoder.Order(
                    link: link, format: format, lengthIsWrong: true, refusal: "its length is wrong"))
            guard try tracks.skip(frameCount) else { return false }
            current = tracks
            return true
        } catch let error as AudioFileError where !error.isFailureOfReading {
            note("the header states no right length; the rest is left out: \(error.message)")
            return false
        }
    }

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
        do {
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
            guard link.content.mayHoldAudio, let program else {
                throw AudioFileError(.notAudio, path: name, "found \(link.content.name), \(refusal)")
            }
            current = try program.decode(
                ForeignDecoder.Order(link: link, format: format, refusal: refusal))
            return true
        } catch let error as AudioFileError where !error.isFailureOfReading {
            note("\(file.byteCount - place) bytes are left out: \(error.message)")
            return false
        }
    }

    /// Opens a link with libsndfile, and finds its end if its container does not state it.
    private static func sound(
        _ link: inout AudioLink, of file: VirtualFile, in sandbox: DecoderSandbox?, name: String
    ) throws -> SoundFile {
        let whole = SoundPlace(parts: [link.bytes], lastBlock: link.content.isFLAC ? 512 : nil)
        if link.content.isOgg, let map = OggMap(file, from: link.bytes.lowerBound) {
            link.end(at: map.end)
            guard map.isPlain else {
                (link.isBroken, link.startsAtZero) = (true, map.losesBeginning)
                throw AudioFileError(.notAudio, path: name, "pages are damaged or missing")
            }
            return try SoundFile(
                SoundPlace(parts: [link.bytes]), of: file, in: sandbox, promises: false, name: name)
        }
        if link.content.isMPEG, let frames = MPEGFrames(file, in: link.bytes) {
            link.end(at: frames.end, last: frames.parts.last?.upperBound, frames: frames.sampleCount)
            return try SoundFile(
                SoundPlace(parts: frames.parts, head: frames.lengthFrame ?? []), of: file, in: sandbox,
                promises: frames.statesLength, name: name, damage: frames.damage)
        }
        if link.content.isUnknown, link.bytes == 0..<file.byteCount, let stored = file as? StoredFile {
            // Samples without a header are known by the file's extension.
            return try SoundFile(
                SoundPlace(path: stored.path), of: file, in: sandbox, promises: true, name: name)
        }
        return try SoundFile(
            whole, of: file, in: sandbox, promises: !link.content.isOgg && !link.content.isMPEG, name: name)
    }

    private func seconds(_ frames: Int) -> Double { Double(frames) / Double(sampleRate) }

    private func note(_ reason: String) {
        if noted == nil { noted = AudioDamage(seconds: seconds(framesRead), reason: reason) }
    }
}
