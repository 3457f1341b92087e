import AudioCore
import Corpora
import Degradations
import Evaluation
import EvaluationTestSupport
import MatcherAdapters
import Matchers
import Testing

/// A corpus whose lock misses that one recording holds another, because it was compared by a matcher that finds nothing.
@Suite struct PooledAnswersTests {
    private let own: OwnRecordings
    private let corpus: Corpus

    init() throws {
        own = try OwnRecordings()
        let piece = OwnRecordings.piece(1)
        let lead = OwnRecordings.piece(2).frames(0..<(3 * piece.sampleRate))
        let later = AudioBuffer(samples: lead.mono() + piece.mono(), sampleRate: piece.sampleRate)
        for (name, audio) in [("a.wav", piece), ("b.wav", later), ("c.wav", OwnRecordings.piece(3))] {
            try own.write(audio, to: name)
        }
        var library = own.library
        let null = try #require(Contestants.named("null"))
        library.comparison = FolderComparison(matcher: { try null.make() })
        corpus = try Corpus.open(named: own.music, in: library)
    }

    /// A record of a query cut from `a.wav` at 2 s, answered by one claim.
    private func record(
        _ reference: String, at seconds: Double?, isAccepted: Bool = true, lengthSeconds: Double = 1
    ) throws -> TrialRecord {
        let tracks = Dictionary(uniqueKeysWithValues: corpus.tracks.map { ($0.id, $0) })
        let track = try #require(tracks["a.wav"])
        var trial = Trial(
            id: "t", index: 0,
            cell: Cell(degradation: "d", severity: "", severityValue: nil, lengthSeconds: lengthSeconds),
            isPositive: true, source: track.id, chain: DegradationChain(), startSeed: 1)
        trial.startFrame = 2 * track.sampleRate
        let query = try trial.render(from: corpus.audio(of: track), material: NoMaterial())
        var record = try TrialRecord(trial, query: query, tracks: tracks)
        record.candidates = [
            Candidate(referenceID: reference, offsetSeconds: seconds, score: 5, isAccepted: isAccepted)
        ]
        return record
    }

    @Test func aRightAnswerThatTheLockCallsWrongIsFound() throws {
        let records = try [record("c.wav", at: 1), record("b.wav", at: 5.2), record("c.wav", at: -900)]
        let pooled = try PooledAnswers(records, of: corpus, jobs: 2)
        #expect(pooled.pairs == 2)
        #expect(pooled.findings.map { [$0.source, $0.reference] } == [["a.wav", "b.wav"]])
        let finding = try #require(pooled.findings.first)
        #expect(finding.correlation > 0.9 && finding.sourceSeconds == 2)
    }

    @Test func rightAnswersWeakOnesAndThoseWithoutAPositionAreNotCompared() throws {
        let records = try [
            record("a.wav", at: 2), record("b.wav", at: 5, isAccepted: false), record("b.wav", at: nil),
        ]
        let pooled = try PooledAnswers(records, of: corpus, jobs: 1)
        #expect(pooled.pairs == 0 && pooled.findings.isEmpty)
    }

    @Test func anotherPlaceOfTheSamePairIsNotEnough() throws {
        #expect(try PooledAnswers([record("b.wav", at: 9)], of: corpus, jobs: 1).findings.isEmpty)
    }
}
