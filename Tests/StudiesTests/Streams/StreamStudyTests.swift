import AudioCore
import Corpora
import Evaluation
import EvaluationTestSupport
import Foundation
import MatcherAdapters
import Matchers
import Metrics
import Studies
import TestSupport
import Testing

@Suite struct StreamStudyTests {
    static let planText = """
        name: s
        corpus: synthetic
        seed: 9
        positives: 4
        negatives: 1
        lengthSeconds: 4
        families:
          - name: clean
          - {name: speed, unit: "%", severities: [2], chain: [{speed: {percent: $severity}}]}
        """

    private func plan(_ text: String = planText) throws -> (Plan, CorpusMaterial) {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        return (
            try Plan(file: try PlanFile(text: text, name: "s.yaml"), corpus: corpus, material: material),
            material
        )
    }

    private func study(
        _ contestant: Contestant, block: Int = 1024, lead: Double = 0, jobs: Int = 2, text: String = planText
    ) throws -> [StreamedQuery] {
        let (plan, material) = try plan(text)
        var settings = StreamStudy.Settings()
        (settings.blockFrames, settings.leadSeconds) = (block, lead)
        let study = StreamStudy(
            plan: plan, material: material, contestant: contestant, settings: settings)
        return try study.run(in: StudyFixture().run(of: study, jobs: jobs))
    }

    private func scripted(_ script: [StreamedEvent]) -> Contestant {
        Contestant(name: "scripted", summary: "") { ScriptedListener(script: script) }
    }

    @Test func ourEngineFindsCleanMusic() throws {
        let queries = try study(Contestants.earshot)
        #expect(queries.count == 8)
        for query in queries {
            let first = try #require(query.firstRightSeconds, "\(query.trialID)")
            #expect(first <= 3 && query.error == nil && query.wrongAnswersBeforeRight == 0)
            #expect(query.stableSeconds != nil)
            let error = try #require(query.medianPositionErrorSeconds)
            #expect(error < 0.05, "\(query.trialID) \(error)")
        }
    }

    /// Larger blocks give the same events, but only at the end of their block.
    @Test func resultsDoNotDependOnThreadsAndBlocksOnlyDelay() throws {
        let small = try study(Contestants.earshot, block: 441)
        let alone = try study(Contestants.earshot, block: 441, jobs: 1)
        let large = try study(Contestants.earshot, block: 22_050)
        for (one, other) in zip(small, alone) {
            #expect(one.changes == other.changes && one.positions == other.positions)
        }
        for (one, other) in zip(small, large) {
            #expect(one.trialID == other.trialID)
            #expect(one.changes.map(\.answer) == other.changes.map(\.answer))
            for (early, late) in zip(one.changes, other.changes) {
                #expect(late.seconds >= early.seconds && late.seconds - early.seconds < 0.5)
            }
        }
    }

    @Test func scriptedAnswersGiveTheFiguresWorkedOutByHand() throws {
        let (plan, material) = try plan()
        let trial = try #require(plan.trials.first { $0.isPositive && $0.cell.degradation == "clean" })
        let source = try #require(trial.source)
        let track = try #require(plan.corpus.tracks.first { $0.id == source })
        let query = try trial.render(from: plan.corpus.audio(of: track), material: material)
        let truth = try #require(query.truth.offsetSeconds)
        let queries = try study(
            scripted([
                .at(0.5, "nobody"), .at(1, nil), .at(1.5, source, position: truth + 1.5 + 0.25),
                .at(2.5, source, position: truth + 2.5 - 0.125, kind: .confirmed), .at(3.5, nil),
            ]), block: 441)
        let played = try #require(queries.first { $0.trialID == trial.id })
        #expect(played.changes.map(\.answer) == [.none, .wrong("nobody"), .none, .right, .none])
        #expect(played.changes.map(\.seconds) == [0, 0.5, 1, 1.5, 3.5])
        #expect(played.flips == 2 && played.stableSeconds == nil && played.wrongAnswersBeforeRight == 1)
        let errors = played.positions.strictSeconds
        #expect(errors.count == 200, "one a block from 1.5 s until 3.5 s")
        #expect(errors.prefix(100).allSatisfy { abs($0 - 0.25) < 1e-4 })
        #expect(errors.suffix(100).allSatisfy { abs($0 + 0.125) < 1e-4 })
        #expect(played.positions.repeatAwareSeconds == errors, "both are near the right place")
        // That reference does not contain another recording's query.
        let other = try #require(queries.first { $0.source != source })
        #expect(other.firstRightSeconds == nil && other.changes.contains { $0.answer == .wrong(source) })
    }

    @Test func musicBeforeAQueryDoesNotCount() throws {
        let queries = try study(scripted([.at(2, "nobody"), .at(5.5, nil)]), lead: 5)
        for query in queries {
            #expect(query.changes.first == .init(seconds: 0, answer: .wrong("nobody")))
            let end = try #require(query.changes.last)
            #expect(end.answer == .none && abs(end.seconds - 0.5) < 0.03)
        }
        // At another speed the engine needs longer to detect that the music has changed.
        for query in try study(Contestants.earshot, lead: 5) where query.trialID.hasPrefix("clean") {
            #expect((query.firstRightSeconds ?? 9) < 4, "\(query.trialID)")
            #expect((query.medianPositionErrorSeconds ?? 9) < 0.05)
        }
    }

    @Test func errorsSayWhatCannotBeMeasured() throws {
        let deaf = try #require(Contestants.named("null"))
        var error = try #require(throws: MeasurementError.self) { try study(deaf) }
        #expect(error.description.contains("null does not listen"))
        let silent = Self.planText.replacing("positives: 4", with: "positives: 0")
        error = try #require(throws: MeasurementError.self) { try study(Contestants.earshot, text: silent) }
        #expect(error.description.contains("no positive query"))
        error = try #require(throws: MeasurementError.self) { try study(Contestants.earshot, lead: 590) }
        #expect(error.description.contains("591 s"))
    }

    /// A failed stream costs its own query and no other.
    @Test func aBrokenStreamIsRecorded() throws {
        let contestant = Contestant(name: "broken", summary: "") { BrokenListener() }
        let queries = try study(contestant)
        #expect(queries.count == 8 && queries.allSatisfy { $0.error?.contains("Refusal") ?? false })
        #expect(StreamedCell.cells(of: queries).allSatisfy { $0.errors == 4 && $0.everRight.successes == 0 })
    }
}

private final class BrokenListener: Matcher {
    struct Refusal: Error {}
    let name = "broken"
    let version = "1"
    let settings: [String: String] = [:]
    func enrol(id: String, audio: AudioBuffer) {}
    func finishEnrolment() -> Int? { nil }
    func identify(_ query: Query) -> [Candidate] { [] }
    var powers: MatcherPowers { MatcherPowers(startStream: { _, _ in throw Refusal() }) }
}
