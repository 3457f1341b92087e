import AudioCore
import Corpora
import Degradations
import Evaluation
import Matchers
import Metrics
import SystemIO

/// Matches the same queries against catalogs of growing size: real references first, then fillers.
package struct GrowthStudy: Study, Sendable {
    package static let name = "growth"
    package var settings: [Double] { hours }
    package var identity: [String] { [plan.digest, "\(hours)"] }
    package var trialCount: Int { hours.count * (plan.trials.count + 1) }

    package let references: GrowingReferences
    package let plan: Plan
    /// The catalog sizes in hours, ascending.
    package let hours: [Double]
    package var material: any Material
    package var contestant: Contestant
    /// The seed for the order of references and for the fillers.
    package let seed: UInt64
    /// Holds rendered queries; nil makes them again for each size.
    package var cache: TrialCache?

    /// Draws the queries of `plan` again from the smallest catalog.
    ///
    /// - Parameter hours: sizes above 0.
    /// - Throws: ``MeasurementError`` if there is no size, or the plan has folds or speed copies. The errors of
    ///   ``Plan`` if the smallest catalog has no recording for a cell.
    package init(
        plan: Plan, material: CorpusMaterial, contestant: Contestant, hours: [Double],
        cache: TrialCache?
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
        self.cache = cache
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
        let prepared = PreparedReferences(of: corpus, jobs: study.jobs, keepingKeys: 1)
        let queries = QuerySource(
            recordings: RecordingCache(corpus: corpus, capacity: study.jobs + 1), material: material,
            recipe: plan.recipe, cache: cache)
        for size in hours { try take(point(hours: size, study, prepared, queries)) }
    }

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
            let cost = try enrolment.enrol(tracks, from: prepared, progress: study.progress) { matcher in
                if missing > 0 {
                    try matcher.powers.enrolFillers?(missing, seed)
                }
                study.progress("index of \(size)", 0, 1)
            }
            study.progress("index of \(size)", 1, 1)
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
            stage: "queries at \(size)"
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

/// The real references of a corpus, in the order in which a growing catalog enrols them.
///
/// Queries are cut from references in the smallest catalog. So every catalog gets the same queries and has the same
/// right answers. Recordings of one equivalence class stay together; those of the half come first.
package struct GrowingReferences: Sendable {
    package let tracks: [Track]
    /// The corpus; its half for queries holds only the recordings of the smallest catalog.
    package let corpus: Corpus

    /// Orders the enrolled recordings of `corpus` by `seed`.
    ///
    /// - Parameter smallestHours: the length of the smallest catalog.
    /// - Throws: ``MeasurementError`` if nothing is enrolled.
    package init(of corpus: Corpus, half: CorpusHalf, seed: UInt64, smallestHours: Double) throws {
        var classes: [[Track]] = []
        for isHalf in [true, false] {
            let members = Dictionary(
                grouping: corpus.tracks.filter { $0.isEnrolled && ($0.role == .enrolled(half)) == isHalf },
                by: \.classID)
            var names = members.keys.sorted()
            var generator = SeededGenerator(seed: seed, "growth", isHalf ? "half" : "rest")
            names.shuffle(using: &generator)
            classes += names.map { members[$0] ?? [] }
        }
        tracks = classes.flatMap(\.self)
        guard let first = tracks.first, first.role == .enrolled(half) else {
            throw MeasurementError(
                "the corpus \(corpus.name) has no recording of the \(half.rawValue) half to enrol")
        }
        let held = Set(tracks.prefix(Self.count(of: tracks, hours: smallestHours)).map(\.id))
        var changed = corpus
        for place in changed.tracks.indices where changed.tracks[place].role == .enrolled(half) {
            if !held.contains(changed.tracks[place].id) { changed.tracks[place].role = .enrolled(half.other) }
        }
        self.corpus = changed
    }

    /// The number of references in a catalog of `hours`: whole classes until it is full, or all.
    package func count(hours: Double) -> Int { Self.count(of: tracks, hours: hours) }

    private static func count(of tracks: [Track], hours: Double) -> Int {
        var seconds = 0.0
        for (place, track) in tracks.enumerated() {
            let isNewClass = place == 0 || tracks[place - 1].classID != track.classID
            if isNewClass, seconds >= hours * 3600 { return place }
            seconds += track.durationSeconds
        }
        return tracks.count
    }
}
