import AudioCore

/// The frames of a file, one unit after the other, in this process or from another one.
protocol FileUnits: AnyObject {
    var facts: FileFacts { get }
    /// The first place where audio is missing, as far as the file was read.
    var damage: AudioDamage? { get }
    /// What users should know of it that is no damage.
    var remark: String? { get }

    /// The next frames, which are lent until the next call; none where another recording follows, and at the end.
    func read() throws -> (unit: FileUnit, samples: InterleavedSamples)

    /// What the tags say, once all frames were read.
    func tags() throws -> AudioTags
}

/// What a header says.
struct FileFacts: Codable {
    let sampleRate: Int
    let channelCount: Int
    /// The container and codec in words.
    let formatName: String
    /// The number of frames, which may be wrong.
    let expectedFrames: Int
    /// The number of audio tracks that are mixed.
    let trackCount: Int
    /// What users should know of its tracks.
    let remark: String?
    let linearSamples: LinearSamples?

    init(_ source: any SampleSource, remark: String? = nil) {
        (sampleRate, channelCount) = (source.sampleRate, source.channelCount)
        (formatName, expectedFrames) = (source.formatName, source.expectedFrames)
        (trackCount, self.remark) = (source.trackCount, remark ?? source.remark)
        linearSamples = (source as? SoundFile)?.linearSamples
    }
}

struct FileUnit {
    var frameCount = 0
    /// Whether the samples are 16-bit integers; 32-bit floats otherwise.
    var isInt16 = false
    /// Whether another program decodes them.
    var isForeign = false
    /// Whether no other unit follows.
    var isLast = false

    /// The samples of the unit at the beginning of memory.
    func samples(in bytes: UnsafeMutableRawBufferPointer, channelCount: Int) -> InterleavedSamples {
        let count = frameCount * channelCount
        let bytes = UnsafeRawBufferPointer(bytes)
        return isInt16
            ? .int16(UnsafeBufferPointer(rebasing: bytes.bindMemory(to: Int16.self)[..<count]))
            : .float(UnsafeBufferPointer(rebasing: bytes.bindMemory(to: Float.self)[..<count]))
    }
}

/// A file that is read in this process: its recordings one after the other, in the format of the first.
final class FileSound: FileUnits {
    let facts: FileFacts
    var damage: AudioDamage? {
        noted ?? current.damage.map { AudioDamage(seconds: $0.seconds + seconds(origin), reason: $0.reason) }
    }
    private(set) var remark: String?

    private let name: String
    private let file: VirtualFile
    private let others: (any ForeignPrograms)?
    private var link: AudioLink
    private var current: any SampleSource
    private var noted: AudioDamage?
    private var framesRead = 0
    /// The frame at which the current source began.
    private var origin = 0
    /// Where in the file it began, unless its bytes are counted.
    private var start: Int
    private var isAtEnd = false
    private let room: UnsafeMutableRawBufferPointer

    /// Opens a file; errors call it `name`.
    ///
    /// - Parameters:
    ///   - others: Decode what libsndfile does not read; nil if that is not audio.
    ///   - track: The number of the audio track to read, from 1; nil for the mean of all.
    init(_ file: VirtualFile, others: (any ForeignPrograms)?, track: Int?, name: String) throws {
        self.name = name
        self.file = file
        self.others = others
        link = AudioLink(at: 0, in: file)
        start = link.bytes.lowerBound
        guard link.mayHoldAudio else {
            throw AudioFileError(
                .notAudio, path: name, "found \(link.content.name); expected an audio file")
        }
        do {
            current = try Self.sound(&link, of: file, name: name)
            try ForeignDecoder.requireTrack(track, of: 1, name: name)
        } catch let error as AudioFileError where error.code == .notAudio {
            try file.expectNoFailure(name: name)
            guard let others else { throw error }
            current = try others.decode(
                ForeignRequest(link, refusal: error.message, track: track))
        }
        if link.isNoSound { remark = "its samples look like bytes of something else than sound" }
        facts = FileFacts(current, remark: remark ?? current.remark)
        remark = facts.remark
        try AudioFile.require(
            sampleRate: facts.sampleRate, channelCount: facts.channelCount, of: "the header says", name: name)
        room = .allocate(
            byteCount: SoundFile.unitFrames * facts.channelCount * MemoryLayout<Float>.stride, alignment: 16)
    }

    deinit { room.deallocate() }

    func read() throws -> (unit: FileUnit, samples: InterleavedSamples) {
        let unit = try read(into: room)
        return (unit, unit.samples(in: room, channelCount: facts.channelCount))
    }

    /// Puts the next frames at the beginning of `target`, which has room for ``SoundFile/unitFrames`` frames of floats.
    func read(into target: UnsafeMutableRawBufferPointer) throws -> FileUnit {
        var unit = FileUnit(isInt16: current.holdsInt16, isForeign: !(current is SoundFile), isLast: isAtEnd)
        guard !isAtEnd else { return unit }
        unit.frameCount = try current.read(into: target)
        framesRead += unit.frameCount
        if unit.frameCount < SoundFile.unitFrames { try advance() }
        unit.isLast = isAtEnd
        if isAtEnd, framesRead == 0 { throw AudioFileError(.noSamples, path: name, noSamplesMessage) }
        return unit
    }

    func tags() -> AudioTags { AudioTags(file) }

    private var noSamplesMessage: String {
        guard let damage else { return "\(facts.formatName) without a single sample" }
        return "\(facts.formatName), of which no sample could be decoded (\(damage.reason))"
    }

    /// Opens what follows the current source.
    private func advance() throws {
        // What the disk does not give is not missing in the file.
        try file.expectNoFailure(name: name)
        noted = damage
        if let cut = link.cut { say(Self.cut(cut.name, cut.bytes)) }
        if link.isCutShort { note("the file ends before its audio does") }
        if link.isBroken { note(Self.brokenPages) }
        let (ended, length) = (current as? SoundFile, framesRead - origin)
        origin = framesRead
        if let change = file.change {
            guard !change.isShorter else {
                noted = AudioDamage(
                    seconds: seconds(framesRead), reason: "the file became shorter while it was read")
                isAtEnd = true
                return
            }
            say("the file changed while it was read; what was added is left out")
        }
        if let ended, !ended.hasFailed {
            if let counted = link.countedFrames {
                // The decoder may leave out the delay and the padding of the encoder.
                if length < counted - Self.longestDelay, try readOn(after: length) { return }
                if !ended.promises, length < counted {
                    note("\(AudioDamage.text(seconds(counted - length))) s of its frames cannot be decoded")
                }
            } else if try readRest(of: ended, after: length) {
                return
            }
        }
        if link.end < file.byteCount, try open(link.end) { return }
        isAtEnd = true
    }

    /// Opens what the link has behind the bytes that its header states; false if that is nothing.
    private func readRest(of ended: SoundFile, after length: Int) throws -> Bool {
        let unread: Range<Int>
        switch link.rest(from: start + ended.position, in: file) {
        case .nothing: return false
        case .cutChunk(let name, let bytes):
            say(Self.cut(name, bytes))
            return false
        case .remains(let bytes):
            if Tags.end(from: bytes.lowerBound, in: file) + MediaContent.headLength < bytes.upperBound {
                say("\(bytes.count) bytes behind its last chunk are left out")
            }
            return false
        case .samples(let bytes):
            guard ended.bareSamples != nil else {
                say("it has several chunks of samples; all but the first are left out")
                return false
            }
            say("it has several chunks of samples; they are joined")
            unread = bytes
        case .unknown(let bytes):
            if link.content.isFLAC, let next = nextHeader(near: bytes.lowerBound) { return try open(next) }
            guard let samples = ended.bareSamples else {
                if link.isComplete(at: bytes.lowerBound) {
                    say("\(bytes.count) bytes behind its samples are left out")
                    return false
                }
                return try (link.content.isFLAC || bytes.count > Self.longestRemainder)
                    && readOn(after: length)
            }
            // A picture behind the samples, or a download of which another part is missing.
            if SampleContent(samples, bytes, of: file).isNoSound,
                !SampleContent(samples, start..<bytes.lowerBound, of: file).isNoSound
            {
                say("\(bytes.count) bytes behind its samples are no sound; they are left out")
                return false
            }
            if ended.expectedFrames > 0 {
                let more = Double(bytes.count / samples.frameBytes) / Double(facts.sampleRate)
                say("it has \(AudioDamage.text(more)) s more than its header states; they are read")
            }
            unread = bytes
        }
        // Each step reads on.
        guard let samples = ended.bareSamples, unread.count >= samples.frameBytes,
            unread.lowerBound > start
        else { return false }
        start = unread.lowerBound
        current = try SoundFile(
            SoundPlace(parts: [unread], samples: samples), of: file, promises: false, name: name)
        return true
    }

    /// Lets `ffmpeg` read what a link has after its first frames; false if that is nothing.
    private func readOn(after frameCount: Int) throws -> Bool {
        try attempt("the header states no right length; the rest is left out") {
            let tracks = try decode(lengthIsWrong: true, refusal: "its length is wrong")
            guard try tracks.skip(frameCount) else { return false }
            current = tracks
            return true
        }
    }

    private static func cut(_ name: String, _ bytes: Range<Int>) -> String {
        "its last chunk, \"\(name)\", is cut; \(bytes.count) bytes are left out"
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

    private var format: ForeignRequest.Format {
        ForeignRequest.Format(sampleRate: facts.sampleRate, channelCount: facts.channelCount)
    }

    /// Lets another program decode the link.
    private func decode(lengthIsWrong: Bool = false, refusal: String) throws -> any SampleSource {
        guard let others else { throw AudioFileError(.decoderMissing, path: name, "no program is used") }
        return try others.decode(
            ForeignRequest(link, as: format, lengthIsWrong: lengthIsWrong, refusal: refusal))
    }

    /// Opens the recording at `place`; false if it cannot be read.
    private func open(_ place: Int) throws -> Bool {
        guard place > start else { return false }
        link = AudioLink(at: place, in: file)
        start = link.bytes.lowerBound
        guard !link.bytes.isEmpty else { return false }
        return try attempt("\(file.byteCount - place) bytes are left out") {
            var refusal = "another sample rate or number of channels"
            do {
                let sound = try Self.sound(&link, of: file, name: name)
                if sound.sampleRate == facts.sampleRate, sound.channelCount == facts.channelCount {
                    current = sound
                    return true
                }
            } catch let error as AudioFileError where error.code == .notAudio {
                refusal = error.message
            }
            guard link.mayHoldAudio, others != nil else {
                throw AudioFileError(.notAudio, path: name, "found \(link.content.name), \(refusal)")
            }
            current = try decode(refusal: refusal)
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
        _ link: inout AudioLink, of file: VirtualFile, name: String
    ) throws -> SoundFile {
        let content = link.content
        var place = SoundPlace(parts: [link.bytes], lastBlock: content.isFLAC ? 512 : nil)
        if link.hasSampleList {
            throw AudioFileError(
                .notAudio, path: name, "its samples are in a list with silence (wavl), which is not read")
        }
        if let end = link.firstEnd { place.parts = [link.bytes.clamped(to: 0..<end)] }
        var promises = !content.isMPEG
        let isNamedMP3 = name.lowercased().hasSuffix(".mp3")
        var damage: AudioDamage?
        if content.isOgg, let map = OggMap(file, from: link.bytes.lowerBound) {
            link.end(at: map.end)
            guard map.isPlain else {
                (link.isBroken, link.startsAtZero) = (true, map.losesBeginning)
                throw AudioFileError(.notAudio, path: name, Self.brokenPages)
            }
            place.parts = [link.bytes]
        } else if content.isMPEG || content.isUnknown && isNamedMP3,
            let frames = MPEGFrames(file, in: link.bytes)
        {
            link.end(at: frames.end, last: frames.parts.last?.upperBound, frames: frames.sampleCount)
            (place.parts, place.head) = (frames.parts, frames.lengthFrame)
            (promises, damage) = (frames.statesLength, frames.damage)
        } else if content.isUnknown, link.bytes == 0..<file.byteCount {
            // libsndfile takes much for MPEG audio, and its decoder complains on standard error.
            guard !isNamedMP3 else {
                throw AudioFileError(.notAudio, path: name, "it has no frames of MPEG audio")
            }
            // Samples without a header are known by the extension of the file.
            place.samples = BareSamples(
                fileExtension: name.split(separator: ".").last.map { $0.lowercased() } ?? "")
        }
        let sound = try SoundFile(place, of: file, promises: promises, name: name, damage: damage)
        if let samples = sound.bareSamples, place.samples == nil {
            let bytes = (link.bytes.lowerBound + sound.position)..<link.bytes.upperBound
            let found = SampleContent(samples, bytes, of: file)
            link.isNoSound = found.isNoSound
            if let coding = found.coding {
                link.coding = coding
                throw AudioFileError(.notAudio, path: name, "its samples hold \(coding)")
            }
        }
        return sound
    }

    private func seconds(_ frames: Int) -> Double { Double(frames) / Double(facts.sampleRate) }

    /// Adds a remark, once.
    private func say(_ words: String) {
        guard remark?.contains(words) != true else { return }
        remark = remark.map { "\($0); \(words)" } ?? words
    }

    private func note(_ reason: String) {
        if noted == nil { noted = AudioDamage(seconds: seconds(framesRead), reason: reason) }
    }
}
