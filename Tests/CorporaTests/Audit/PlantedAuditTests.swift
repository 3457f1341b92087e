import AudioCore
import AudioIO
import Corpora
import Degradations
import MatcherAdapters
import TestSupport
import Testing

/// Audits of recordings with known copies.
@Suite struct PlantedAuditTests {
    private typealias Recording = EquivalenceAudit.Recording

    private static func music(_ seed: UInt64, seconds: Double = 30) -> AudioBuffer {
        SyntheticMusic(seed: seed, seconds: seconds).render()
    }

    private static func audit(_ recordings: [Recording]) throws -> EquivalenceAudit.Findings {
        try EquivalenceAudit(matcher: Contestants.auditor()).run(recordings)
    }

    private static func recording(
        _ id: String, _ audio: AudioBuffer, part: EquivalenceAudit.Part = .reference
    ) -> EquivalenceAudit.Recording { .init(id: id, part: part) { audio } }

    /// The audit finds all copies, sections and music under effects at their places, and nothing else.
    @Test(arguments: [1, 2] as [UInt64])
    func findsAllPlantsAndNothingElse(seed: UInt64) throws {
        let recordings = (1...13).map { number in
            Self.recording("track-\(number)", Self.music(UInt64(number)))
        }
        let fixture = try CorpusFixture()
        let material = try CorpusMaterial(library: fixture.library, music: nil)
        let planting = try AuditPlanting(in: recordings, count: 9, seed: seed, material: material)
        #expect(planting.plants.count == 9)
        let outcome = PlantedOutcome(
            planting: planting, baseline: try Self.audit(recordings),
            planted: try Self.audit(planting.recordings))
        #expect(outcome.found == 9, "\(outcome)")
        #expect(outcome.falseSuspects.isEmpty, "\(outcome)")
        for answer in outcome.answers {
            let finding = try #require(answer.finding)
            #expect(finding.kind == answer.plant.kind)
            let isFirst = finding.first == answer.plant.carrier
            let begin = isFirst ? finding.firstSeconds : finding.secondSeconds
            #expect(abs(begin - answer.plant.carrierSeconds) < 1.5)
            #expect(abs(finding.lengthSeconds - answer.plant.lengthSeconds) < 2.5)
        }
    }

    @Test func aPlantThatIsNotThereIsMissed() throws {
        let recordings = (1...4).map { Self.recording("track-\($0)", Self.music(UInt64($0))) }
        let material = try CorpusMaterial(library: CorpusFixture().library, music: nil)
        let planting = try AuditPlanting(in: recordings, count: 3, seed: 1, material: material)
        var invented = EquivalenceAudit.Findings()
        invented.findings = [
            AuditFinding(
                kind: .sharedSection, verdict: .suspect, first: "nowhere", second: "track-1", firstSeconds: 0,
                secondSeconds: 0, lengthSeconds: 5, timeSkew: 0, correlation: 0, isKnown: false)
        ]
        let outcome = PlantedOutcome(planting: planting, baseline: .init(), planted: invented)
        #expect(outcome.found == 0)
        #expect(outcome.falseSuspects == invented.findings)
        #expect(outcome.description.contains("0 of 3 plants found, 0 of them confirmed; 1 false suspects"))
    }

    /// A passage of 10 s is repeated 17 s after its start, and again 30 s later.
    @Test func listsRepeatsWithTheNextPlace() throws {
        let refrain = Self.music(7, seconds: 10)
        let parts = [
            Self.music(1, seconds: 4), refrain, Self.music(2, seconds: 7), refrain,
            Self.music(3, seconds: 20),
            refrain,
        ]
        let song = AudioBuffer(samples: parts.flatMap { $0.mono() }, sampleRate: 44_100)
        let repeats = try Self.audit([Self.recording("song", song)]).findings
        #expect(repeats.map(\.kind) == [.repeat, .repeat])
        for (found, expected) in zip(repeats, [(4.0, 21.0), (21, 51)]) {
            #expect(found.first == "song" && found.second == "song")
            #expect(abs(found.firstSeconds - expected.0) < 1)
            #expect(abs(found.secondSeconds - found.firstSeconds - (expected.1 - expected.0)) < 0.001)
            #expect(abs(found.lengthSeconds - 10) < 1.5)
            #expect(found.correlation > 0.99)
        }
    }

    @Test func aFasterCopyIsFoundWithItsSpeed() throws {
        let song = Self.music(11, seconds: 40)
        let faster = try Resampler.resample(song, lengthRatio: 100, over: 103)
        let findings = try Self.audit([
            Self.recording("a", song), Self.recording("b", faster), Self.recording("c", Self.music(12)),
        ]).findings
        let found = try #require(findings.first)
        #expect(findings.count == 1)
        #expect(found.verdict == .confirmed)
        #expect([found.first, found.second] == ["a", "b"])
        // A second of the copy holds 1.03 s of the original.
        #expect(abs(found.timeSkew - (100.0 / 103 - 1)) < 0.0005)
        #expect(found.lengthSeconds > 30)
    }

    @Test func unreadableRecordingsAreNamedAndLeftOut() throws {
        let song = Self.music(1, seconds: 12)
        let findings = try Self.audit([
            Self.recording("a", song),
            .init(id: "broken") { throw AudioFileError(.missing, path: "broken", "there is no such file") },
            Self.recording("b", song),
        ])
        #expect(findings.unreadable.map(\.id) == ["broken"])
        #expect(findings.unreadable[0].message.contains("there is no such file"))
        #expect(findings.recordings == 2)
        #expect(findings.classes == [["a", "b"]])
    }

    /// The refusal states the size.
    ///
    /// With known lengths it precedes any decoding.
    @Test func tooMuchAudioIsRefused() throws {
        let many = (0..<100_000).map { number in
            EquivalenceAudit.Recording(id: "\(number)", durationSeconds: 240) {
                throw CorpusError(.unreadable, "must not be decoded")
            }
        }
        let audit = EquivalenceAudit(matcher: Contestants.auditor(), memoryLimit: 4_000_000_000)
        #expect {
            try audit.run(many)
        } throws: { error in
            guard let error = error as? CorpusError, error.code == .tooLarge else { return false }
            return error.description.contains("100000 recordings, at least 6667 hours, need 480.0 GB")
        }
        let unknown = [Self.recording("a", Self.music(1, seconds: 12))]
        let small = EquivalenceAudit(matcher: Contestants.auditor(), memoryLimit: 100_000)
        #expect(throws: CorpusError.self) { try small.run(unknown) }
    }
}
