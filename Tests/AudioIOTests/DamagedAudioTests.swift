import AudioCore
import AudioIO
import SignalProcessing
import SystemIO
import TestSupport
import Testing

/// Damage is noticed, and what is left keeps its times.
@Suite struct DamagedAudioTests {
    private static let audio = TestSignals.bandNoise(seed: 7, seconds: 24, sampleRate: 48_000)
    private static let codecs = ["flac-16", "mp3-128k", "ogg-vorbis-q0.3", "ogg-opus-64k"]

    private static func bytes(_ name: String, _ audio: AudioBuffer = audio) throws -> [UInt8] {
        try AudioFile.encode(audio, as: #require(AudioEncoding(name)))
    }

    /// The bytes with 3,000 others from the quarter on.
    private static func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var (bytes, generator) = (bytes, SeededGenerator(seed: 11))
        let start = bytes.count / 4
        for place in start..<(start + 3000) { bytes[place] = UInt8(truncatingIfNeeded: generator.next()) }
        return bytes
    }

    private static func read(_ reader: AudioFileReader, block: Int = 4096) throws -> AudioBuffer {
        var samples: [Float] = []
        while let part = try reader.read(maxFrames: block) { samples += part.samples }
        return AudioBuffer(samples: samples, sampleRate: reader.sampleRate)
    }

    /// How much later than in the whole file the audio from `seconds` on is, in seconds.
    private static func lag(of audio: AudioBuffer, in whole: AudioBuffer, at seconds: Double) -> Double? {
        let start = Int(seconds * Double(whole.sampleRate))
        guard audio.frameCount >= start + 48_000 else { return nil }
        let found = CrossCorrelation.bestLag(
            of: Array(whole.samples[start..<(start + 40_000)]),
            in: Array(audio.samples[start..<(start + 40_000)]), maxLag: 20_000)
        return found.coefficient > 0.5 ? found.lag / Double(whole.sampleRate) : nil
    }

    @Test(arguments: codecs) func damageIsNamed(codec: String) throws {
        let reader = try AudioFileReader(bytes: Self.damaged(Self.bytes(codec)), name: codec)
        let audio = try Self.read(reader)
        let damage = try #require(reader.damage)
        #expect((4.5...7.0).contains(damage.seconds), "\(damage)")
        #expect(damage.description.hasPrefix("damaged at ") && audio.durationSeconds > 4.5)
    }

    @Test(arguments: codecs) func theOutcomeDoesNotDependOnBlocks(codec: String) throws {
        let bytes = try Self.damaged(Self.bytes(codec))
        let first = try AudioFileReader(bytes: bytes, name: codec)
        let audio = try Self.read(first, block: 65_536)
        for block in [113, 4096, 16_384] {
            let reader = try AudioFileReader(bytes: bytes, name: codec)
            #expect(try Self.read(reader, block: block) == audio)
            #expect(reader.damage == first.damage)
        }
    }

    @Test(arguments: ["ogg-vorbis-q0.3", "ogg-opus-64k"]) func timesAfterAGapAreTrue(codec: String) throws {
        let bytes = try Self.bytes(codec)
        let whole = try AudioFile.decode(bytes, name: codec)
        let audio = try AudioFile.decode(Self.damaged(bytes), name: codec)
        #expect(abs(audio.durationSeconds - whole.durationSeconds) < 0.02)
        for second in [1.0, 12, 20] {
            let lag = try #require(Self.lag(of: audio, in: whole, at: second))
            #expect(abs(lag) < 0.02, "\(lag) s at \(second) s")
        }
    }

    @Test(arguments: codecs + ["wav-pcm16", "caf-alac16", "au-g721", "wav-gsm610", "flac-24"])
    func intactAudioIsNot(codec: String) throws {
        for seconds in [0.5, 24.0] {
            let audio = Self.audio.frames(0..<Int(seconds * 48_000))
            let encoding = try #require(AudioEncoding(codec))
            let rate = encoding.takes(sampleRate: 48_000) ? 48_000 : 8000
            let reader = try AudioFileReader(
                bytes: AudioFile.encode(Resampler.resample(audio, to: rate), as: encoding), name: codec)
            _ = try Self.read(reader)
            #expect(reader.damage == nil)
        }
    }

    @Test(arguments: ["wav-pcm16", "flac-16", "ogg-vorbis-q0.3", "ogg-opus-64k"])
    func aFileCutShortIsNoticed(codec: String) throws {
        let folder = try TemporaryFolder()
        let bytes = try Self.bytes(codec)
        try AtomicFile.write(Array(bytes[..<(bytes.count / 2)]), to: folder.file("cut"))
        let reader = try AudioFileReader(path: folder.file("cut"))
        let audio = try Self.read(reader)
        let damage = try #require(reader.damage)
        #expect(abs(damage.seconds - audio.durationSeconds) < 1 && damage.seconds > 8)
    }

    /// Samples of a stream whose length its writer did not know.
    @Test func aHeaderOfAStreamPromisesNothing() throws {
        var bytes = try Self.bytes("wav-pcm16")
        for place in 40..<44 { bytes[place] = 0xFF }
        let reader = try AudioFileReader(bytes: bytes, name: "stream")
        #expect(try Self.read(reader).frameCount == Self.audio.frameCount)
        #expect(reader.damage == nil)
    }

    /// Decoders take the tag for audio.
    @Test func aTagAfterMPEGAudioIsNoDamage() throws {
        let bytes = try Self.bytes("mp3-128k")
        let body = [UInt8](repeating: 0x41, count: 60_000)
        var footer = [UInt8]("APETAGEX".utf8) + [0xD0, 7, 0, 0]
        footer += (0..<4).map { UInt8(truncatingIfNeeded: (body.count + 32) >> (8 * $0)) }
        footer += [UInt8](repeating: 0, count: 16)
        let title = [UInt8]("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)
        let reader = try AudioFileReader(bytes: bytes + body + footer + title, name: "tagged")
        #expect(try Self.read(reader) == AudioFile.decode(bytes, name: "untagged"))
        #expect(reader.damage == nil)
    }

    @Test(arguments: ["ogg-vorbis-q0.3", "ogg-opus-64k"]) func chainedOggIsReadWhole(codec: String) throws {
        let links = try (0..<5).map { number in
            try Self.bytes(codec, Self.audio.frames((number * 96_000)..<(number * 96_000 + 90_000)))
        }
        let reader = try AudioFileReader(bytes: links.flatMap { $0 }, name: codec)
        let expected = try links.flatMap { try AudioFile.decode($0, name: codec).samples }
        #expect(try Self.read(reader).samples == expected)
        #expect(reader.damage == nil)
    }

    @Test func aChainKeepsItsTimesAfterAGap() throws {
        let link = try Self.bytes("ogg-vorbis-q0.3", Self.audio.frames(0..<480_000))
        let whole = try AudioFile.decode(link + link + link, name: "whole")
        let reader = try AudioFileReader(bytes: link + Self.damaged(link) + link, name: "chain")
        let audio = try Self.read(reader)
        #expect(abs(audio.frameCount - whole.frameCount) < 48)
        #expect(try abs(#require(Self.lag(of: audio, in: whole, at: 25))) < 0.001)
        let damage = try #require(reader.damage)
        #expect((10...14).contains(damage.seconds), "\(damage)")
    }

    @Test(arguments: ["ogg-vorbis-q0.3", "ogg-opus-64k", "mp3-128k", "flac-16", "wav-pcm16"])
    func aChainOfTwoFormatsIsReadInTheFirst(codec: String) throws {
        let rate = codec == "ogg-opus-64k" ? 24_000 : 32_000
        let other = TestSignals.bandNoise(seed: 3, seconds: 3, sampleRate: rate)
        let reader = try AudioFileReader(
            bytes: Self.bytes(codec, Self.audio.frames(0..<480_000)) + Self.bytes(codec, other), name: "two")
        let audio = try Self.read(reader)
        #expect(abs(audio.durationSeconds - 13) < 0.1 && audio.sampleRate == 48_000)
        #expect(reader.damage == nil, "\(reader.damage as Any)")
        let expected = try Resampler.resample(other, to: 48_000).samples
        let (start, length) = (24_000, 40_000)
        let lag = CrossCorrelation.bestLag(
            of: Array(expected[start..<(start + length)]),
            in: Array(audio.samples[(480_000 + start)..<(480_000 + start + length)]), maxLag: 4000)
        // An MP3 of one frame less or more has its encoder's delay.
        #expect(abs(lag.lag) < (codec == "mp3-128k" ? 2400 : 48) && lag.coefficient > 0.9, "\(lag)")
    }

    /// What follows a lost header is left out.
    @Test func aLostHeaderIsNamed() throws {
        var second = try Self.bytes("ogg-opus-64k")
        second[10] ^= 0xFF
        let reader = try AudioFileReader(bytes: Self.bytes("ogg-opus-64k") + second, name: "lost")
        #expect(try Self.read(reader).durationSeconds > 23.9)
        #expect(reader.damage != nil)
    }

    @Test func forgedPositionsAreNamed() throws {
        let bytes = try Self.bytes("ogg-vorbis-q0.3")
        var damaged = Self.damaged(bytes)
        // All pages behind the damage move by 2⁵⁰ samples.
        let file = OggPages(damaged)
        for page in file.pages where page.lowerBound > damaged.count / 4 + 3000 {
            damaged[page.lowerBound + 6 + 6] ^= 4
            file.sign(page, in: &damaged)
        }
        let reader = try AudioFileReader(bytes: damaged, name: "forged")
        #expect(try Self.read(reader).durationSeconds < 24.1)
        #expect(reader.damage != nil)
    }

    /// The bytes with other times of the pages behind half of them, by `change` of the time in samples.
    private static func retimed(
        _ bytes: [UInt8], from part: Double = 0.5, _ change: (Int) -> Int
    ) -> [UInt8] {
        let file = OggPages(bytes)
        var bytes = bytes
        for page in file.pages.dropFirst(Int(part * Double(file.pages.count))) {
            let field = (page.lowerBound + 6)..<(page.lowerBound + 14)
            let time = bytes[field].reversed().reduce(0) { $0 << 8 | Int($1) }
            guard time > 0 else { continue }
            let changed = change(time)
            for (index, place) in field.enumerated() {
                bytes[place] = UInt8(truncatingIfNeeded: changed >> (8 * index))
            }
            file.sign(page, in: &bytes)
        }
        return bytes
    }

    @Test(arguments: ["ogg-vorbis-q0.3", "ogg-opus-64k"], [2, 100])
    func aGapInTheTimesOfPagesIsSilence(codec: String, gap: Int) throws {
        let bytes = try Self.bytes(codec)
        let whole = try AudioFile.decode(bytes, name: codec)
        let reader = try AudioFileReader(bytes: Self.retimed(bytes) { $0 + gap * 48_000 }, name: codec)
        let audio = try Self.read(reader)
        #expect(abs(audio.durationSeconds - whole.durationSeconds - Double(gap)) < 0.02)
        let damage = try #require(reader.damage)
        #expect(damage.reason.contains("\(gap).0 s are without audio"), "\(damage)")
        // A page says only where it ends, so that its own audio may be on either side of the gap.
        #expect((10.5...14).contains(damage.seconds), "\(damage)")
        let after = audio.frames((gap * 48_000)..<audio.frameCount)
        #expect(try abs(#require(Self.lag(of: audio, in: whole, at: 5))) < 0.001)
        #expect(try abs(#require(Self.lag(of: after, in: whole, at: 18))) < 0.02)
    }

    /// What is cut from a longer stream may begin with pages before the time 0, also behind one with another time.
    @Test(arguments: ["ogg-vorbis-q0.3", "ogg-opus-64k"])
    func pagesBeforeTheBeginningAreNoDamage(codec: String) throws {
        let bytes = try Self.bytes(codec)
        let file = OggPages(bytes)
        func time(of page: Range<Int>) -> Int {
            bytes[(page.lowerBound + 6)..<(page.lowerBound + 14)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let sounding = file.pages.filter { time(of: $0) > 0 }
        let begin = time(of: sounding[1]) + 104
        let cut = Self.retimed(bytes, from: 0) { $0 == time(of: sounding[0]) ? $0 : $0 - begin }
        let whole = try AudioFile.decode(bytes, name: codec)
        let reader = try AudioFileReader(bytes: cut, name: codec)
        let audio = try Self.read(reader)
        #expect(reader.damage == nil)
        #expect(abs(whole.durationSeconds - audio.durationSeconds - Double(begin) / 48_000) < 0.2)
    }

    /// Whether one page states too little, or all do.
    @Test(arguments: ["ogg-vorbis-q0.3", "ogg-opus-64k"], [0, 0.5, 0.99])
    func pagesThatStateTooLittleLoseNothingSilently(codec: String, part: Double) throws {
        let bytes = try Self.bytes(codec)
        let whole = try AudioFile.decode(bytes, name: codec)
        let reader = try AudioFileReader(bytes: Self.retimed(bytes, from: part) { $0 / 2 }, name: codec)
        let audio = try Self.read(reader)
        // Decoders of Opus drop what the last page has more than it states.
        let lost = whole.durationSeconds - audio.durationSeconds
        #expect((-0.05...(codec == "ogg-opus-64k" ? 1 : 0.05)).contains(lost))
        #expect(reader.damage != nil)
        #expect(try abs(#require(Self.lag(of: audio, in: whole, at: 20))) < 0.05)
    }

    @Test func aPartIsReadAlone() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.flac")
        try AudioFile.write(Self.audio, to: path, as: #require(AudioEncoding("flac-16")))
        let whole = try AudioFile.read(path)
        #expect(try AudioFile.read(path, seconds: 2.5...3.25) == whole.frames(120_000..<156_000))
        #expect(try AudioFile.read(path, seconds: 23...99) == whole.frames(1_104_000..<1_152_000))
        let error = #expect(throws: AudioFileError.self) { try AudioFile.read(path, seconds: 25...26) }
        #expect(error?.description == "\(path): is 24.0 s long; the part begins at 25.0 s")
    }
}

/// The pages of an Ogg file, found by their magic, to forge them.
private struct OggPages {
    let pages: [Range<Int>]

    init(_ bytes: [UInt8]) {
        var pages: [Range<Int>] = []
        var place = 0
        while place + 27 <= bytes.count {
            guard bytes[place..<(place + 4)].elementsEqual("OggS".utf8) else {
                place += 1
                continue
            }
            let body = place + 27 + Int(bytes[place + 26])
            guard body <= bytes.count else { break }
            let end = bytes[(place + 27)..<body].reduce(body) { $0 + Int($1) }
            guard end <= bytes.count else { break }
            pages.append(place..<end)
            place = end
        }
        self.pages = pages
    }

    /// Gives a page its checksum.
    func sign(_ page: Range<Int>, in bytes: inout [UInt8]) {
        for byte in 22..<26 { bytes[page.lowerBound + byte] = 0 }
        var sum: UInt32 = 0
        for byte in bytes[page] {
            sum ^= UInt32(byte) << 24
            for _ in 0..<8 { sum = sum & 0x8000_0000 == 0 ? sum << 1 : (sum << 1) ^ 0x04C1_1DB7 }
        }
        for byte in 0..<4 {
            bytes[page.lowerBound + 22 + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte))
        }
    }
}
