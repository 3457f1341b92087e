import Evaluation
import Metrics

/// Several contestants over the same trials.
package struct ArenaModel: Sendable {
    package struct Pair: Sendable {
        package let first: Int
        package let second: Int
        /// The positives found at ``ArenaModel/falseAcceptRate``; before is the first contestant.
        package let positives: PairedComparison
        /// Recall of the second minus that of the first.
        package let difference: PairedDifference
        /// The interval of that difference, with both thresholds found again in each draw of recordings.
        package let fitted: Interval?
        /// The largest p of two paired tests and a bootstrap that finds both thresholds again, with Holm's correction.
        package var probability: Double
        /// Positives at which the first, and the second, failed with an error; they count as missed.
        package let errors: [Int]
    }

    /// How many contestants found the positives of a group at ``ArenaModel/falseAcceptRate``.
    package struct Finds: Sendable {
        package let title: String
        package let positives: Int
        /// Found by every contestant.
        package let all: Int
        /// Found by no contestant.
        package let none: Int
        /// Found by one contestant only, in the order of ``standings``.
        package let alone: [Int]
    }

    /// A positive that only one contestant found.
    package struct Lone: Sendable {
        package let trialID: String
        package let title: String
        package let standing: Int
        /// The contestants that failed with an error.
        package let failed: [Int]
    }

    package struct Failure: Sendable {
        package let name: String
        package let message: String

        package init(name: String, message: String) {
            self.name = name
            self.message = message
        }
    }

    /// By recall at ``falseAcceptRate``, the highest first, with their ranks.
    package let standings: [ArenaStanding]
    /// The share of negatives that may be accepted where contestants are compared: 1 %, or what all can reach.
    package let falseAcceptRate: Double
    package let pairs: [Pair]
    /// By group, with all groups last.
    package let finds: [Finds]
    /// In the order of the plan.
    package let lone: [Lone]
    package let failures: [Failure]
    /// The negatives on which a contestant failed, which set no threshold of any contestant.
    package let failedNegatives: Int
    /// The wrong claims of all contestants, compared by waveform; nil if they were not.
    package let pooled: PooledAnswers?

    /// Sets contestants side by side.
    ///
    /// - Throws: ``GateError`` when they were not given the same trials, or no positives or negatives.
    package init(
        _ contestants: [ArenaStanding], failures: [Failure] = [], pooled: PooledAnswers? = nil
    ) throws {
        guard let panel = contestants.first?.model.facts.panelDigest else {
            throw GateError("there is no run to compare: \(failures.map(\.message).joined(separator: "; "))")
        }
        if let other = contestants.first(where: { $0.model.facts.panelDigest != panel }) {
            throw GateError("\(other.name) was given other trials than \(contestants[0].name)")
        }
        guard contestants.allSatisfy({ $0.model.separation != nil }) else {
            throw GateError("recall at 1 % false accepts needs negatives as well as positives")
        }
        let trials = contestants.flatMap { $0.model.trials }
        let failedNegatives = Set(trials.filter { $0.outcome == .negativeError }.map(\.record.trial.id))
        self.failedNegatives = failedNegatives.count
        // What the machine took from one contestant tells nothing of the others either.
        let lost = Set(trials.filter { $0.record.notMeasured != nil }.map(\.record.trial.id))
        let failed = failedNegatives.union(lost)
        let contestants = failed.isEmpty ? contestants : contestants.map { $0.leavingOut(failed) }
        guard contestants.allSatisfy({ $0.separation != nil }) else {
            throw GateError("there is no negative that every contestant answered")
        }
        let rate = contestants.map(\.reachableRate).min() ?? ArenaStanding.falseAcceptRate
        falseAcceptRate = rate
        let standings =
            Self.ranked(contestants, leavingOut: failed, at: rate)
            .map { (standing: $0, recall: $0.recall(at: rate).rate ?? 0) }
            .sorted { ($0.recall, $1.standing.name) > ($1.recall, $0.standing.name) }.map(\.standing)
        self.standings = standings
        self.failures = failures
        self.pooled = pooled
        let rows = Self.rows(standings, leavingOut: lost, at: rate)
        let pairs = standings.indices.flatMap { first in
            standings.indices.dropFirst(first + 1).map { Self.pair(first, $0, rows, of: standings, at: rate) }
        }
        let adjusted = Holm.adjusted(pairs.map(\.probability))
        self.pairs = zip(pairs, adjusted).map { pair, probability in
            var pair = pair
            pair.probability = probability
            return pair
        }
        finds = (rows.grouped(by: \.title) + [("All", rows)])
            .map { title, rows in Self.finds(title, rows, standings.count) }
        lone = rows.compactMap { row in
            guard row.hits.count(where: { $0 }) == 1, standings.count > 1,
                let who = row.hits.firstIndex(of: true)
            else { return nil }
            return Lone(
                trialID: row.trialID, title: row.title, standing: who,
                failed: standings.indices.filter { row.errors[$0] })
        }
    }

    /// The same contestants with their ranks by recall.
    private static func ranked(
        _ contestants: [ArenaStanding], leavingOut failed: Set<String>, at rate: Double
    ) -> [ArenaStanding] {
        let trials = contestants.map { contestant in
            JudgedTrial.distinct(
                contestant.model.trials.filter { $0.evidence != nil && !failed.contains($0.record.trial.id) }
            ).compactMap { trial in trial.evidence.map { (cluster: trial.cluster, scores: $0) } }
        }
        let ranks = RecallRank.ranks(
            of: trials, falseAcceptRate: rate,
            ClusterBootstrap(resamples: ReportModel.resamples, seed: seed))
        return zip(contestants, ranks).map { contestant, rank in
            var contestant = contestant
            contestant.rank = rank
            return contestant
        }
    }

    /// Of the draws of recordings.
    private static let seed: UInt64 = 0xA2

    private struct Row {
        let trialID: String
        let title: String
        let cluster: String
        let hits: [Bool]
        let errors: [Bool]
    }

    private static func rows(
        _ standings: [ArenaStanding], leavingOut lost: Set<String>, at rate: Double
    ) -> [Row] {
        let model = standings[0].model
        let titles = Dictionary(
            model.cells.map { ($0.key, $0.group.title) }, uniquingKeysWith: { first, _ in first })
        let others = standings.map { standing in
            let threshold = standing.threshold(at: rate)
            return Dictionary(
                standing.model.trials.map {
                    (
                        $0.record.trial.id,
                        (isHit: $0.isRight(atLeast: threshold), isError: $0.record.error != nil)
                    )
                }, uniquingKeysWith: { first, _ in first })
        }
        let positives = model.trials.filter {
            $0.record.trial.isPositive && $0.outcome != nil && !lost.contains($0.record.trial.id)
        }
        return positives.map { trial in
            Row(
                trialID: trial.record.trial.id, title: titles[CellScore.Key(trial.record)] ?? "",
                cluster: trial.cluster, hits: others.map { $0[trial.record.trial.id]?.isHit ?? false },
                errors: others.map { $0[trial.record.trial.id]?.isError ?? false })
        }
    }

    private static func pair(
        _ first: Int, _ second: Int, _ rows: [Row], of standings: [ArenaStanding], at rate: Double
    ) -> Pair {
        let hits = rows.map { (cluster: $0.cluster, before: $0.hits[first], after: $0.hits[second]) }
        let others = Dictionary(
            standings[second].model.trials.map { ($0.record.trial.id, $0.evidence) },
            uniquingKeysWith: { first, _ in first })
        let scores = standings[first].model.trials.compactMap { trial -> FittedRecallDifference.Pair? in
            guard let before = trial.evidence, let after = others[trial.record.trial.id] ?? nil else {
                return nil
            }
            return .init(cluster: trial.cluster, before: before, after: after)
        }
        let fitted = FittedRecallDifference(scores, falseAcceptRate: rate, seed: seed)
        return Pair(
            first: first, second: second, positives: PairedComparison(hits.map { ($0.before, $0.after) }),
            difference: PairedDifference(hits), fitted: fitted.interval,
            probability: max(PairedEvidence(hits, seed: seed).probability, fitted.probability),
            errors: [first, second].map { number in rows.count { $0.errors[number] } })
    }

    private static func finds(_ title: String, _ rows: [Row], _ count: Int) -> Finds {
        Finds(
            title: title, positives: rows.count, all: rows.count { !$0.hits.contains(false) },
            none: rows.count { !$0.hits.contains(true) },
            alone: (0..<count).map { number in
                rows.count { row in row.hits[number] && row.hits.count(where: { $0 }) == 1 }
            })
    }
}

/// One contestant of an arena: its run and the figures by which contestants are compared.
package struct ArenaStanding: Sendable {
    package let name: String
    package let model: ReportModel
    /// The share of negatives that may be accepted, up to 1 %, at which its recall is known.
    ///
    /// Less than 1 % where it names candidates for fewer negatives. What a lower threshold would find is then unknown.
    package let reachableRate: Double
    /// The rates by threshold over the negatives that every contestant answered.
    let separation: SeparationFigures?
    /// At 0 false accepts over those negatives.
    package let recallAtZeroFalseAccepts: Proportion
    /// By recall at ``ArenaModel/falseAcceptRate``; nil outside an arena.
    package internal(set) var rank: RecallRank?

    /// The share of negatives that may be accepted in the leaderboard.
    package static let falseAcceptRate = 0.01

    package init(name: String, records: [TrialRecord], facts: RunFacts, commands: RunCommands = .none) {
        let model = ReportModel(records: records, facts: facts, commands: commands)
        self.init(name, model, model.separation, model.overall.recallAtZeroFalseAccepts)
    }

    private init(
        _ name: String, _ model: ReportModel, _ separation: SeparationFigures?, _ recallAtZero: Proportion
    ) {
        self.name = name
        self.model = model
        self.separation = separation
        recallAtZeroFalseAccepts = recallAtZero
        reachableRate = min(Self.falseAcceptRate, separation?.curve.points.last?.falseAcceptRate ?? 0)
    }

    /// The same with thresholds that no negative of `failed` sets.
    func leavingOut(_ failed: Set<String>) -> ArenaStanding {
        let trials = model.trials.filter { !failed.contains($0.record.trial.id) }
        let highest = ZeroFalseAcceptPoint(trials.compactMap(\.evidence)).highestWrongScore
        return ArenaStanding(
            name, model, SeparationFigures(trials, seed: model.facts.seed),
            Scorecard(trials, highestWrongScore: highest).recallAtZeroFalseAccepts)
    }

    /// The positives at which it failed with an error; they count as missed.
    package var positiveErrors: Int {
        model.trials.count { $0.record.trial.isPositive && $0.record.error != nil && $0.outcome != nil }
    }

    /// The recall at 1 % over the positives that it answered, which leaves out those with an error.
    package var answeredRecall: Proportion { recall(of: model.trials.filter { $0.record.error == nil }) }

    /// Whether its recall at 1 % false accepts is unknown.
    package var isCensored: Bool { reachableRate < Self.falseAcceptRate }

    /// The score, fitted on the run's negatives, from which at most a share `rate` of them are accepted.
    package func threshold(at rate: Double) -> Double? {
        separation?.curve.points.last { $0.falseAcceptRate <= rate }?.threshold
    }

    /// The share of positives whose right answer is claimed at the threshold for `rate`.
    package func recall(at rate: Double) -> Proportion { recall(of: model.trials, at: rate) }

    /// The share of `trials` whose right answer is claimed at the threshold for 1 %; of none if it is censored.
    func recall(of trials: some Sequence<JudgedTrial>) -> Proportion {
        isCensored ? Proportion(clustered: []) : recall(of: trials, at: Self.falseAcceptRate)
    }

    func recall(of trials: some Sequence<JudgedTrial>, at rate: Double) -> Proportion {
        let threshold = threshold(at: rate)
        return Proportion(
            clustered: trials.filter { $0.record.trial.isPositive && $0.outcome != nil }
                .map { ($0.cluster, $0.isRight(atLeast: threshold)) })
    }

    /// At 1 % false accepts; of no trials if it is censored.
    package var recall: Proportion { recall(of: model.trials) }

    /// The share of positives claimed right within `seconds` of the place or, unless `isStrict`, one that sounds the same.
    func placed(within seconds: Double, isStrict: Bool = false) -> Proportion {
        Proportion(
            clustered: model.trials.filter { $0.record.trial.isPositive && $0.outcome != nil }.map { trial in
                let error = isStrict ? trial.strictOffsetErrorSeconds : trial.offsetErrorSeconds
                return (trial.cluster, error.map { abs($0) <= seconds } ?? false)
            })
    }

    /// Processor time of a query in milliseconds.
    var processor: LatencyByKind { LatencyByKind(model.trials) { $0.processorMilliseconds } }

    /// Audio seconds enrolled in a processor second.
    var enrolmentRate: Double? {
        guard let seconds = model.facts.cost?.enrolProcessorSeconds, seconds > 0 else { return nil }
        return model.facts.referenceSeconds / seconds
    }
}

extension JudgedTrial {
    /// Whether the right answer is claimed at a threshold; nil claims nothing.
    fileprivate func isRight(atLeast threshold: Double?) -> Bool {
        guard let threshold, let score = scores.rightScore else { return false }
        return score >= threshold
    }
}
