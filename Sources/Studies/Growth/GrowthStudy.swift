import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers
import Metrics
import SystemIO

/// Matches the same queries against catalogs of growing size: real references first, then fillers.
package struct GrowthStudy: Sendable {
    /// The real references, in the order of enrolment.
    package let references: GrowingReferences
    package let plan: Plan
    /// The catalog sizes in hours, ascending.
    package let hours: [Double]
    /// The recordings to mix in.
    package var material: any Material
    package var contestant: Contestant
    /// The seed for the order of references and for the fillers.
    package let seed: UInt64
    /// The number of threads; it changes only times.
    package var jobs: Int
    /// Holds rendered queries; nil makes them again for each size.
    package var cache: TrialCache?
    package var progress: EvaluationRun.Progress

    /// Draws the queries of `plan` again from the smallest catalog.
    ///
    /// - Parameter hours: sizes above 0.
    /// - Throws: ``MeasurementError`` if there is no size, or the plan has folds or speed copies. The errors of
    ///   ``Plan`` if the smallest catalog has no recording for a cell.
    package init(
        plan: Plan, material: CorpusMaterial, contestant: Contestant, hours: [Double], jobs: Int,
        cache: TrialCache?, progress: @escaping EvaluationRun.Progress = { _, _, _ in }
    ) throws {
        self.hours = Set(hours).sorted()
        guard let smallest = self.hours.first, smallest > 0 else {
            throw MeasurementError("expected sizes above 0 h, found \(hours)")
        }
        if !plan.corpus.isDivided, plan.file.negativeFolds != nil {
            throw MeasurementError(
                "\(plan.corpus.name) has too few recordings for separate negatives, so its plan needs folds; "
                    + "growth needs one catalog of plain references")
        }
        guard plan.file.negativeFolds == nil, plan.file.speedCopies == nil else {
            throw MeasurementError(
                "the plan \(plan.file.name) has folds or speed copies; growth needs one catalog of plain references"
            )
        }
        references = try GrowingReferences(
            of: plan.corpus, half: plan.half, seed: plan.seed, smallestHours: smallest)
        self.plan = try Plan(
            file: plan.file, corpus: references.corpus, material: material, half: plan.half, seed: plan.seed)
        self.material = material
        self.contestant = contestant
        seed = plan.seed
        self.jobs = max(1, jobs)
        self.cache = cache
        self.progress = progress
    }

    /// Measures one size after the other and passes each to `take` at once.
    ///
    /// - Throws: ``MeasurementError`` if a size exceeds the corpus and the contestant takes no fillers. The error of
    ///   a reference that cannot be decoded or enrolled.
    package func run(in study: StudyRun, _ take: (GrowthPoint) throws -> Void) throws {
        let realHours = references.tracks.reduce(0) { $0 + $1.durationSeconds } / 3600
        if let largest = hours.last, largest > realHours, try contestant.make().powers.enrolFillers == nil {
            throw MeasurementError(
                "the matcher \(contestant.name) takes no synthetic references; its catalog cannot exceed the "
                    + "\((realHours * 10).rounded(.down) / 10) h of \(plan.corpus.name)")
        }
        let corpus = plan.corpus
        let prepared = PreparedReferences(jobs: jobs, keepingKeys: 1) { try corpus.audio(of: $0) }
        let queries = QuerySource(
            recordings: RecordingCache(corpus: corpus, capacity: jobs + 1), material: material,
            recipe: QueryRecipe(corpus: corpus, materialDigest: plan.materialDigest), cache: cache)
        for size in hours { try take(point(hours: size, study, prepared, queries)) }
    }

    /// What decides the outcomes, apart from the matcher.
    package var identity: [String] { ["growth", plan.digest, "\(hours)"] }

    private func point(
        hours: Double, _ study: StudyRun, _ prepared: PreparedReferences, _ queries: QuerySource
    ) throws -> GrowthPoint {
        let tracks = Array(references.tracks.prefix(references.count(hours: hours)))
        let realHours = tracks.reduce(0) { $0 + $1.durationSeconds } / 3600
        let missing = max(0, hours - realHours)
        let size = "\(formatNumber(hours)) h"
        let trials = plan.trials
        var enrolment: Enrolment?
        // The size is a trial of its own, so that a resumed study builds an index only for pending trials.
        func enrolled() throws -> (Enrolment, indexBytes: Int?) {
            let enrolment = try Enrolment(of: contestant)
            let cost = try enrolment.enrol(tracks, from: prepared, progress: progress) { matcher in
                if missing > 0 {
                    try matcher.powers.enrolFillers?(missing, seed)
                }
                progress("index of \(size)", 0, 1)
            }
            progress("index of \(size)", 1, 1)
            return (enrolment, cost.indexBytes)
        }
        let index = try study.outcomes(
            of: [StudyRun.Trial(id: "\(size)\(GrowthPoint.indexSuffix)")], stage: "index", jobs: 1
        ) {
            let (made, bytes) = try enrolled()
            enrolment = made
            return { _ in
                GrowthPoint.Index(
                    hours: realHours + missing, realHours: realHours, realReferences: tracks.count,
                    bytes: bytes)
            }
        }
        let answers = try study.outcomes(
            of: trials.map { StudyRun.Trial(id: "\(size)/\($0.id)", source: $0.source ?? "") },
            stage: "queries at \(size)", jobs: jobs
        ) { () -> @Sendable (Int) throws -> GrowthPoint.Asked in
            let runner = TrialRunner(enrolment: try enrolment ?? enrolled().0, queries: queries)
            return { number in
                let (record, seconds) = try runner.timedRecord(trials[number])
                return GrowthPoint.Asked(record: record, processorSeconds: seconds)
            }
        }
        guard let index = index.first else { throw MeasurementError("the size \(size) has no index") }
        return GrowthPoint(index, answers)
    }
}
