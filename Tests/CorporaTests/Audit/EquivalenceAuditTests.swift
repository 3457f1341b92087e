import AudioCore
import AudioIO
import Corpora
import MatcherAdapters
import TestSupport
import Testing

@Suite struct EquivalenceAuditTests {
    private static func music(_ seed: UInt64, seconds: Double = 30) -> AudioBuffer {
        SyntheticMusic(seed: seed, seconds: seconds).render()
    }

    private static func joined(_ parts: [AudioBuffer]) -> AudioBuffer {
        AudioBuffer(samples: parts.flatMap { $0.mono() }, sampleRate: 44_100)
    }

    /// One recording, a copy at another rate that starts 3.5 s in, and three unrelated ones.
    @Test func findsTheSameRecordingAndAShareOfIt() throws {
        let base = Self.music(1)
        let lead = Self.music(50, seconds: 3.5)
        let other = Self.music(2)
        let recordings: [(id: String, audio: AudioBuffer)] = [
            ("a-original", base),
            ("b-other", other),
            ("c-later", try Resampler.resample(Self.joined([lead, base]), to: 32_000)),
            ("d-medley", Self.joined([Self.music(4), other.frames(441_000..<1_102_500), Self.music(5)])),
            ("e-alone", Self.music(6)),
        ]
        let audit = EquivalenceAudit(matcher: try Contestants.earshot.make())
        let findings = try audit.run(recordings.map { item in .init(id: item.id) { item.audio } })

        #expect(
            findings.links.map { [$0.first, $0.second] } == [
                ["a-original", "c-later"], ["b-other", "d-medley"],
            ])
        let same = try #require(findings.links.first)
        #expect(same.isSameRecording)
        #expect(abs(same.offsetSeconds - 3.5) < 0.001)
        #expect(same.agreeingWindows == same.comparedWindows && same.comparedWindows >= 5)
        let share = try #require(findings.links.last)
        #expect(!share.isSameRecording)
        #expect(abs(share.offsetSeconds - 20) < 0.001)
        #expect(share.coefficient > 0.95)
        #expect(findings.windows > 30)
    }

    @Test func classesReachTheLock() async throws {
        let fixture = try CorpusFixture()
        guard let wav = AudioEncoding("wav-pcm16"), let flac = AudioEncoding("flac-16") else { return }
        let base = Self.music(1, seconds: 20)
        let late = Self.joined([Self.music(3, seconds: 2), base])
        try fixture.buildPackage(
            "tune-music", version: "1",
            files: [
                "usr/share/tunes/1.wav": AudioFile.encode(base, as: wav),
                "usr/share/tunes/2.wav": AudioFile.encode(base, as: flac),
                "usr/share/tunes/3.wav": AudioFile.encode(late, as: wav),
                "usr/share/tunes/4.wav": AudioFile.encode(Self.music(2, seconds: 20), as: wav),
                "usr/share/tunes/5.wav": AudioFile.encode(base, as: wav),
            ])
        let lock = try await fixture.lock(fixture.tuneRecipe(), matcher: try Contestants.earshot.make())
        let one = "tune-music/1.wav"
        #expect(lock.files.map(\.classID) == [one, one, one, "tune-music/4.wav", one])
        let offsets = lock.files.map { ($0.offsetSeconds ?? 99) }
        for (found, expected) in zip(offsets, [0.0, 0, -2, 0, 0]) { #expect(abs(found - expected) < 0.001) }
        let corpus = try Corpus.open(named: "tunes", in: fixture.library)
        #expect(Set(corpus.tracks.filter { $0.classID == one }.map(\.role)).count == 1)
    }
}
