import Corpora
import Metrics

/// Measures settings on recordings that had no part in choosing them.
package struct HeldOutCheck: Codable, Hashable, Sendable {
    /// Compares two choices of settings over the same trials.
    package struct Comparison: Codable, Hashable, Sendable {
        package let other: Objectives
        /// Positives that only the chosen settings won, each at its own threshold without a false accept.
        package let onlyChosen: Int
        package let onlyOther: Int
        package let difference: Double
        /// The lower end of its 95 % interval by cluster bootstrap; nil with fewer than 2 recordings.
        package let lower: Double?
        package let upper: Double?
        /// The two-sided probability of a difference as large by chance (`SignFlipTest`).
        package let probability: Double
        package let clusters: Int

        init(_ chosen: Race.Entry, against other: Race.Entry, objectives: Objectives, seed: UInt64) {
            let differences = Race.differences(chosen, other)
            let test = SignFlipTest(differences, seed: seed)
            let interval = ClusterBootstrap.meanInterval(
                differences.map { (cluster: $0.cluster, value: $0.difference) }, seed: seed)
            self.other = objectives
            onlyChosen = differences.count { $0.difference > 0 }
            onlyOther = differences.count { $0.difference < 0 }
            difference = test.mean
            lower = interval?.lower
            upper = interval?.upper
            probability = test.probability
            clusters = test.clusters
        }

        /// Whether the chosen settings are worse, beyond chance at 5 %.
        package var isSignificantlyWorse: Bool { difference < 0 && probability < 0.05 }
    }

    package let half: CorpusHalf
    package let planDigest: String
    package let settings: [String: Double]
    package let chosen: Objectives
    package let againstStart: Comparison
    package let againstStandard: Comparison
    /// The number of looks at this half, this one included.
    package let look: Int

    /// Measures `settings` and stores the look in `ledger`.
    ///
    /// - Parameter evaluator: Belongs to the plan of the held-out half.
    /// - Throws: ``TuningError`` when settings fail, or an error of ``CandidateEvaluator`` or the ledger.
    package init(
        of settings: [String: Double], in space: SearchSpace, evaluator: CandidateEvaluator,
        ledger: LookLedger, seed: UInt64
    ) throws {
        let questions = evaluator.questions
        let contestant = try space.contestant(with: settings)
        look = try ledger.record(questions.plan, of: contestant.make(), settings: settings)
        let ladder = RungLadder(strata: questions.questions.map(\.stratum), shares: [1], seed: seed)
        let measurements = try MeasurementCache(
            space: space, evaluator: evaluator, ladder: ladder, journal: nil)
        func measured(_ settings: [String: Double], _ name: String) throws -> (Race.Entry, Objectives) {
            let entry = try measurements.entry(number: 0, settings: settings, rung: 0).entry
            guard let objectives = entry.objectives else {
                throw TuningError(
                    "\(name) settings fail: \(measurements.failure(of: settings) ?? "no answers")")
            }
            return (entry, objectives)
        }
        let (mine, objectives) = try measured(settings, "the chosen")
        let (start, startObjectives) = try measured(space.start, "the start's")
        let (standard, standardObjectives) = try measured(space.standard, "the standard")
        half = questions.plan.half
        planDigest = questions.plan.digest
        self.settings = settings
        chosen = objectives
        againstStart = Comparison(mine, against: start, objectives: startObjectives, seed: seed)
        againstStandard = Comparison(mine, against: standard, objectives: standardObjectives, seed: seed)
    }
}
