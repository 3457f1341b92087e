import AudioCore
import AudioIO
import Fingerprinting
import TestSupport
import Testing

/// What plays in a recording, from when to when.
struct PassageFinderTests {
    private static let rate = 8000
    /// Songs, and the seconds of each that follow one another after 20 s of noise.
    private static let airings: [(song: Int, seconds: Range<Int>)] = [
        (0, 0..<40), (3, 10..<18), (1, 0..<2), (4, 5..<30), (0, 0..<40),
    ]

    private static func recording()
        -> (audio: AudioBuffer, truth: [(song: Int, begin: Double, end: Double)])
    {
        var samples = TestSignals.noise(seed: 8, amplitude: 0.01, seconds: 20, sampleRate: rate).samples
        var truth: [(song: Int, begin: Double, end: Double)] = []
        for (song, seconds) in airings {
            let audio = SongCatalog.songs[song].render(sampleRate: rate).samples
            let begin = Double(samples.count) / Double(rate)
            samples += audio[(seconds.lowerBound * rate)..<(seconds.upperBound * rate)]
            truth.append((song, begin, Double(samples.count) / Double(rate)))
        }
        samples += TestSignals.noise(seed: 9, amplitude: 0.01, seconds: 15, sampleRate: rate).samples
        return (AudioBuffer(samples: samples, sampleRate: rate), truth)
    }

    private static func passages(of audio: AudioBuffer, blockFrames: Int) throws -> [Match] {
        var finder = try PassageFinder(
            catalog: SongCatalog.catalog, sampleRate: audio.sampleRate, channelCount: 1)
        var found: [Match] = []
        for start in stride(from: 0, to: audio.frameCount, by: blockFrames) {
            found += try finder.append(audio.frames(start..<min(start + blockFrames, audio.frameCount)))
        }
        return try found + finder.finish()
    }

    /// Each airing once, in order, with both ends.
    @Test func everyAiringIsFoundOnce() throws {
        let (audio, truth) = Self.recording()
        let found = try Self.passages(of: audio, blockFrames: audio.frameCount)
        #expect(found.map(\.referenceID) == truth.map { "song \($0.song)" })
        for (match, airing) in zip(found, zip(truth, Self.airings)) {
            let query = try #require(match.queryRange)
            let reference = try #require(match.referenceRange)
            #expect(abs(query.lowerBound - airing.0.begin) < 0.3)
            #expect(abs(query.upperBound - airing.0.end) < 0.3)
            let line = reference.lowerBound - query.lowerBound
            #expect(abs(line - (Double(airing.1.seconds.lowerBound) - airing.0.begin)) < 0.05)
            #expect(match.isAccepted && abs(match.offsetSeconds - line) < 0.05)
        }
    }

    /// What becomes of a song of 40 s at its 20th second.
    enum Change: CaseIterable { case lost, repeated, faster, slower, bent }

    /// A song that loses or repeats a moment, or changes its speed, is one passage, and says where.
    @Test(arguments: Change.allCases) func aSongThatChangesIsOnePassage(change: Change) throws {
        let song = SongCatalog.songs[2].render(sampleRate: Self.rate).samples
        let half = 20 * Self.rate
        func played(_ speed: (Double) -> Double) -> [Float] {
            var (place, out) = (Double(half), [Float]())
            while place < Double(song.count - 1) {
                let share = Float(place - place.rounded(.down))
                out.append(song[Int(place)] * (1 - share) + song[Int(place) + 1] * share)
                place += speed(Double(out.count) / Double(Self.rate))
            }
            return out
        }
        let second =
            switch change {
            case .lost: Array(song[(half + Self.rate / 4)...])
            case .repeated: Array(song[(half - Self.rate / 5)...])
            case .faster: played { _ in 1.02 }
            case .slower: played { _ in 0.97 }
            case .bent: played { 1 + 0.001 * min($0, 20) }
            }
        let noise = TestSignals.noise(seed: 8, amplitude: 0.01, seconds: 20, sampleRate: Self.rate).samples
        let audio = AudioBuffer(samples: noise + song[..<half] + second + noise, sampleRate: Self.rate)
        let found = try Self.passages(of: audio, blockFrames: audio.frameCount)
        #expect(found.map(\.referenceID) == ["song 2"])
        let match = try #require(found.first)
        let range = try #require(match.queryRange)
        #expect(abs(range.lowerBound - 20) < 0.3)
        #expect(abs(range.upperBound - 40 - Double(second.count) / Double(Self.rate)) < 0.3)
        #expect(match.segments.count > 1)
        #expect(match.segments.first?.queryRange.lowerBound == range.lowerBound)
        #expect(match.segments.last?.queryRange.upperBound == range.upperBound)
        for (one, next) in zip(match.segments, match.segments.dropFirst()) {
            #expect(one.queryRange.upperBound <= next.queryRange.lowerBound)
        }
        let breaks = match.segments.dropFirst().map(\.queryRange.lowerBound)
        // The notes of these songs are that far apart.
        #expect(change == .bent || breaks.contains { abs($0 - 40) < 0.5 }, "\(breaks)")
        let skew = match.segments.last?.timeSkew ?? 0
        switch change {
        case .lost, .repeated: #expect(abs(skew) < 0.001)
        case .faster: #expect(abs(skew - 0.02) < 0.001)
        case .slower: #expect(abs(skew + 0.03) < 0.001)
        case .bent: #expect(skew > 0.01)
        }
    }

    /// A song that begins again is heard twice.
    @Test func anotherTimeThroughIsAnotherPassage() throws {
        let song = SongCatalog.songs[2].render(sampleRate: Self.rate).samples
        let audio = AudioBuffer(samples: song + song, sampleRate: Self.rate)
        let found = try Self.passages(of: audio, blockFrames: audio.frameCount)
        #expect(found.map(\.referenceID) == ["song 2", "song 2"])
        #expect(found.allSatisfy { $0.segments.isEmpty })
    }

    /// A query of two songs names both, the one that is heard longer first, and where one ends and the other begins.
    @Test(arguments: [1.5, 4.6, 5.5, 8.5]) func twoSongsMeetAtTheirSeam(seamSeconds: Double) throws {
        let folder = try TemporaryFolder()
        let seam = Int(seamSeconds * Double(Self.rate))
        let samples =
            SongCatalog.songs[0].render(sampleRate: Self.rate).samples[(12 * Self.rate)...].prefix(seam)
            + SongCatalog.songs[3].render(sampleRate: Self.rate).samples[(7 * Self.rate)...]
            .prefix(10 * Self.rate - seam)
        let path = folder.file("two.wav")
        let encoding = try #require(AudioEncoding("wav-float"))
        let audio = AudioBuffer(samples: Array(samples), sampleRate: Self.rate)
        try AudioFile.write(audio, to: path, as: encoding)
        let answers = BatchMatcher(catalog: SongCatalog.catalog).match(path).answers
        let order = seamSeconds > 5 ? ["song 0", "song 3"] : ["song 3", "song 0"]
        #expect(answers.map(\.referenceID) == order)
        for answer in answers {
            let range = try #require(answer.queryRange)
            let edge = answer.referenceID == "song 0" ? range.upperBound : range.lowerBound
            // The notes of these songs are that far apart.
            #expect(abs(edge - seamSeconds) < 0.5)
            // Nothing is said of less than 0.1 s at the query's own ends.
            #expect(range.lowerBound == 0 || range.lowerBound >= 0.1)
            #expect(range.upperBound == 10 || range.upperBound <= 9.9)
        }
    }

    @Test func passagesDoNotDependOnTheBlocks() throws {
        let audio = Self.recording().audio
        let whole = try Self.passages(of: audio, blockFrames: audio.frameCount)
        #expect(!whole.isEmpty)
        #expect(try Self.passages(of: audio, blockFrames: 7919) == whole)
    }

    @Test func noiseAndSilenceHaveNoPassage() throws {
        let noise = TestSignals.noise(seed: 3, amplitude: 0.1, seconds: 60, sampleRate: Self.rate)
        #expect(try Self.passages(of: noise, blockFrames: 4096).isEmpty)
        let silence = AudioBuffer(
            samples: [Float](repeating: 0, count: 60 * Self.rate), sampleRate: Self.rate)
        #expect(try Self.passages(of: silence, blockFrames: 4096).isEmpty)
        #expect(try Self.passages(of: silence.frames(0..<1), blockFrames: 1).isEmpty)
    }
}
