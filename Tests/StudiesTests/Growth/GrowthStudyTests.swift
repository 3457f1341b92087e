import AudioCore
import Corpora
import Degradations
import Evaluation
import EvaluationTestSupport
import Foundation
import MatcherAdapters
import Matchers
import Metrics
import Studies
import TestSupport
import Testing

@Suite struct GrowthStudyTests {
    static let planText = """
        name: g
        corpus: synthetic
        seed: 4
        positives: 6
        negatives: 4
        lengthSeconds: 3
        families:
          - name: clean
          - {name: pink noise, severities: [-3], chain: [{noise: {colour: pink, snrDecibels: $severity}}]}
          - {name: silence, source: silence, negatives: 1}
        """

    private func study(
        _ contestant: Contestant = Contestants.earshot, hours: [Double], text: String = planText
    ) throws -> GrowthStudy {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let plan = try Plan(
            file: try PlanFile(text: text, name: "g.yaml"), corpus: corpus, material: material)
        return try GrowthStudy(
            plan: plan, material: material, contestant: contestant, hours: hours, cache: nil)
    }

    private func points(_ study: GrowthStudy, jobs: Int = 2) throws -> [GrowthPoint] {
        var points: [GrowthPoint] = []
        try study.run(in: StudyFixture().run(of: study, jobs: jobs)) { points.append($0) }
        return points
    }

    @Test func allSizesGetTheSameQueries() throws {
        let study = try study(hours: [0.5, 0.025, 0.05])
        let points = try points(study)
        #expect(points.count == 3)
        for point in points {
            #expect(point.answers.map(\.trial.record.trial) == points[0].answers.map(\.trial.record.trial))
            #expect(point.answers.count == 21 && point.figures.outcomes.trials == 21)
            #expect(point.degradations == ["clean", "pink noise", "silence"])
            #expect(point.figures(of: "clean").recall.rate == 1)
            #expect(point.figures.outcomes.falseAccept == 0 && point.figures.errors == 0)
            #expect((point.figures.positiveSeconds ?? 0) > 0 && (point.indexBytes ?? 0) > 0)
        }
        let real = study.references.tracks.reduce(0) { $0 + $1.durationSeconds } / 3600
        #expect(real > 0.05 && real < 0.25)
        // A catalog is full with the reference that exceeds the size; a synthetic one has four minutes.
        #expect(points[0].hours >= 0.025 && points[0].hours < 0.025 + 30.0 / 3600 + 1e-9)
        #expect(points[0].hours == points[0].realHours && points[1].hours == points[1].realHours)
        #expect(points[1].realReferences > points[0].realReferences)
        #expect(points[2].hours == 0.5 && abs(points[2].realHours - real) < 1e-9)
        let sizes = points.compactMap(\.indexBytes)
        // It has as many peaks as real music, so an hour of it adds as much. In an index of minutes many groups of keys are
        // empty, and the first posting of each adds its code.
        let added = (1...2).map { place in
            Double(sizes[place] - sizes[place - 1]) / (points[place].hours - points[place - 1].hours)
        }
        #expect(abs(added[1] / added[0] - 1) < 0.4, "\(sizes)")
    }

    @Test func positivesAreCutFromTheSmallestCatalog() throws {
        let study = try study(hours: [0.025, 1])
        let held = Set(study.references.tracks.prefix(study.references.count(hours: 0.025)).map(\.id))
        #expect(held.count == 3)
        let sources = study.plan.trials.filter(\.isPositive).compactMap(\.source)
        #expect(Set(sources).isSubset(of: held) && !sources.isEmpty)
        let all = study.references
        #expect(all.count(hours: 100) == all.tracks.count && all.count(hours: 1e-9) >= 1)
        #expect(Set(all.tracks.map(\.id)).count == all.tracks.count)
        for track in all.tracks { #expect(track.isEnrolled) }
        #expect(study.plan.references(leavingOut: nil).count == all.tracks.count, "none is lost")
    }

    @Test func resultsDoNotDependOnThreads() throws {
        let (one, two) = (
            try points(study(hours: [0.05, 0.3]), jobs: 1), try points(study(hours: [0.05, 0.3]))
        )
        for (a, b) in zip(one, two) {
            #expect(a.answers.map(\.trial.outcome) == b.answers.map(\.trial.outcome))
            #expect(a.indexBytes == b.indexBytes && a.hours == b.hours)
        }
    }

    private func trial(_ number: Int, _ outcome: Outcome) -> JudgedTrial {
        let isPositive = ![.falseAccept, .correctReject].contains(outcome)
        var record = TrialRecord(
            Trial(
                id: "\(number)", index: number,
                cell: Cell(degradation: "d", severity: "", severityValue: nil, lengthSeconds: 5),
                isPositive: isPositive, source: "a", chain: DegradationChain(steps: []), startSeed: 0))
        record.truthReferences = isPositive ? ["a"] : []
        if ![.missed, .correctReject].contains(outcome) {
            let name = outcome == .correct ? "a" : "b"
            record.candidates = [Candidate(referenceID: name, offsetSeconds: 0, score: 1, isAccepted: true)]
        }
        return JudgedTrial(record, threshold: nil)
    }

    /// Silence may be asked about often; each of its false accepts counts, unlike in an evaluation.
    @Test func negativesOfTheSameSamplesAllCount() {
        let point = GrowthPoint(
            hours: 1, realHours: 1, realReferences: 1, indexBytes: nil,
            answers: [Outcome.falseAccept, .falseAccept, .correctReject, .correct].enumerated().map {
                .init(trial($0, $1), processorSeconds: Double($0))
            })
        #expect(point.figures.falseAccepts.successes == 2 && point.figures.falseAccepts.trials == 3)
        #expect(point.figures.wrongAnswers.successes == 2 && point.figures.wrongAnswers.trials == 4)
        #expect(point.figures.recall.rate == 1 && point.figures.outcomes.falseAccept == 2)
        #expect(point.figures.positiveSeconds == 3 && point.figures.negativeSeconds == 1)
        #expect(point.figures(of: "d").recall.trials == 1 && point.degradations == ["d"])
    }

    @Test func losingAndGainingArePaired() {
        func point(_ outcomes: [Outcome]) -> GrowthPoint {
            GrowthPoint(
                hours: 1, realHours: 1, realReferences: 1, indexBytes: nil,
                answers: outcomes.enumerated().map { .init(trial($0, $1), processorSeconds: 1) })
        }
        let change = point([.missed, .correct, .wrongReference, .correct, .falseAccept])
            .compared(with: point([.correct, .correct, .correct, .missed, .falseAccept]))
        #expect(change.onlyBefore == 2 && change.onlyAfter == 1 && change.both == 1 && change.count == 4)
    }

    @Test func errorsSayWhatCannotBeMeasured() throws {
        let deaf = try #require(Contestants.named("null"))
        #expect(try points(study(deaf, hours: [0.05])).first?.figures.recall.rate == 0)
        var error = try #require(throws: MeasurementError.self) {
            try points(study(deaf, hours: [0.05, 50]))
        }
        #expect(error.description.contains("null takes no synthetic references"))
        error = try #require(throws: MeasurementError.self) { try study(hours: []) }
        #expect(error.description.contains("sizes above 0"))
        error = try #require(throws: MeasurementError.self) {
            try study(
                hours: [1],
                text: Self.planText.replacing("positives: 6", with: "positives: 6\nnegativeFolds: 2"))
        }
        #expect(error.description.contains("has folds"))
        let own = try OwnRecordings()
        for seed in UInt64(0)..<2 { try own.write(OwnRecordings.piece(seed), to: "\(seed).wav") }
        let few = try OwnRecordings.plan(own.corpus())
        error = try #require(throws: MeasurementError.self) {
            try GrowthStudy(
                plan: few, material: CorpusMaterial(library: own.library, music: nil),
                contestant: Contestants.earshot, hours: [1], cache: nil)
        }
        #expect(error.description.contains("too few recordings"), "\(error)")
    }

    /// Fillers depend on the seed, but not on their number.
    @Test func fillersDependOnTheirSeedAlone() throws {
        func filled(hours: Double, seed: UInt64) throws -> Int {
            let matcher = try Contestants.earshot.make()
            for number in 0..<2 {
                let music = SyntheticMusic(seed: UInt64(number), seconds: 30).render()
                try matcher.enrol(id: "music \(number)", audio: music)
            }
            let fill = try #require(matcher.powers.enrolFillers)
            try fill(hours, seed)
            return try #require(try matcher.finishEnrolment())
        }
        let small = try filled(hours: 0.4, seed: 1)
        #expect(try filled(hours: 0.4, seed: 1) == small)
        #expect(try filled(hours: 0.4, seed: 2) != small)
        let fillEmpty = try #require(try Contestants.earshot.make().powers.enrolFillers)
        #expect(throws: MeasurementError.self) { try fillEmpty(1, 1) }
    }
}
