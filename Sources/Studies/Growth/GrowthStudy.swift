import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers
import Metrics
import SystemIO

/// Puts the same queries to catalogs of growing size: real references first, then fillers.
package struct GrowthStudy: Sendable {
    /// The real references in order.
    package let references: GrowingReferences
    /// The queries.
    package let plan: Plan
    /// The sizes in hours, rising.
    package let hours: [Double]
    /// Recordings to mix in.
    package var material: any Material
    /// Who is measured.
    package var contestant: Contestant
    /// What the order of references and the fillers are drawn from.
    package let seed: UInt64
    /// The number of threads; only times depend on it.
    package var jobs: Int
    /// Queries made earlier; nil makes them anew for each size.
    package var cache: TrialCache?
    /// Called as work proceeds, from any thread.
    package var progress: EvaluationRun.Progress

    /// Describes a study.
    ///
    /// - Parameters:
    ///   - plan: the queries as the whole corpus would give them; they are drawn again from what the
    ///     smallest catalog holds.
    ///   - hours: sizes above 0.
    /// - Throws: ``MeasurementError`` when there is no size or the plan's catalog is no plain one, and as
    ///   ``Plan`` does where the smallest catalog has no recording for a cell.
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
                "\(plan.corpus.name) holds too few recordings for strangers among them, so negatives need folds; "
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

    /// Measures size after size and hands each on as soon as it is there.
    ///
    /// - Throws: ``MeasurementError`` when a size is longer than the corpus and the contestant takes no
    ///   fillers, or the error of a reference that cannot be decoded or enrolled.
    package func run(_ take: (GrowthPoint) throws -> Void) throws {
        let realHours = references.tracks.reduce(0) { $0 + $1.durationSeconds } / 3600
        if let largest = hours.last, largest > realHours, !(try contestant.make() is any GrowingMatcher) {
            throw MeasurementError(
                "the matcher \(contestant.name) takes no synthetic references; its catalog cannot exceed the "
                    + "\((realHours * 10).rounded(.down) / 10) h of \(plan.corpus.name)")
        }
        let enrolment = try Enrolment(
            of: references.tracks, in: plan.corpus, for: contestant, jobs: jobs, progress: progress)
        let queries = QuerySource(
            recordings: RecordingCache(corpus: plan.corpus, capacity: jobs + 1), material: material,
            recipe: QueryRecipe(corpus: plan.corpus, materialDigest: plan.materialDigest), cache: cache)
        for size in hours { try take(point(hours: size, enrolment, queries)) }
    }

    private func point(hours: Double, _ enrolment: Enrolment, _ queries: QuerySource) throws -> GrowthPoint {
        let matcher = try contestant.make()
        let count = references.count(hours: hours)
        try enrolment.enrol(first: count, into: matcher, jobs: jobs)
        let realHours = references.tracks.prefix(count).reduce(0) { $0 + $1.durationSeconds } / 3600
        let missing = max(0, hours - realHours)
        if missing > 0 { try (matcher as? any GrowingMatcher)?.enrolFiller(hours: missing, seed: seed) }
        progress("index of \(formatNumber(hours)) h", 0, 1)
        let bytes = try matcher.finishEnrolment()
        progress("index of \(formatNumber(hours)) h", 1, 1)

        let trials = plan.trials
        let order = trials.indices.sorted { (trials[$0].source ?? "", $0) < (trials[$1].source ?? "", $1) }
        let answers = try ParallelMap.map(
            trials.count, jobs: jobs,
            progress: { progress("queries at \(formatNumber(hours)) h", $0, trials.count) }
        ) { try answer(trials[order[$0]], of: matcher, queries) }
        return GrowthPoint(
            hours: realHours + missing, realHours: realHours, realReferences: count, indexBytes: bytes,
            answers: zip(order, answers).sorted { $0.0 < $1.0 }.compactMap(\.1))
    }

    /// Asks one query; nil when its format is not offered.
    private func answer(_ trial: Trial, of matcher: any Matcher, _ queries: QuerySource) throws
        -> GrowthPoint.Answer?
    {
        let track = try trial.source.map { try queries.recordings.track($0) }
        func answer(_ claim: Bool?, _ seconds: Double?, error: String? = nil) -> GrowthPoint.Answer {
            GrowthPoint.Answer(
                trialID: trial.id, degradation: trial.cell.degradation, cluster: track?.classID ?? "silence",
                isPositive: trial.isPositive, outcome: Outcome(isPositive: trial.isPositive, claim: claim),
                processorSeconds: seconds, error: error)
        }
        do {
            let query = try queries.query(of: trial)
            let audio = try query.audio ?? queries.audio(of: trial, query.facts)
            let began = ThreadClock.seconds
            let candidates = try matcher.identify(
                Query(name: String(format: "q%06d", trial.index), audio: audio))
            let seconds = ThreadClock.seconds - began
            let right = Set(trial.isPositive ? track?.classMembers.map(\.id) ?? [] : [])
            return answer(
                candidates.first(where: \.isAccepted).map { right.contains($0.referenceID) }, seconds)
        } catch let error as DegradationError where error.code == .notOffered {
            return nil
        } catch {
            return answer(nil, nil, error: "\(error)")
        }
    }
}
