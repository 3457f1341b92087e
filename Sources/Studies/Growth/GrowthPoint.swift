import Evaluation
import Metrics

/// The answers of a catalog of one size.
package struct GrowthPoint: Sendable {
    struct Index: Codable, Sendable {
        var hours: Double
        var realHours: Double
        var realReferences: Int
        /// Nil when the matcher does not say.
        var bytes: Int?
    }

    struct Asked: Codable, Sendable {
        var record: TrialRecord
        /// Of the matcher, on its thread; nil if it did not run.
        var processorSeconds: Double?

        /// The judged answer; nil if the query's format is not offered.
        var answer: Answer? {
            let judged = JudgedTrial(record, threshold: nil)
            return judged.outcome.map { outcome in
                Answer(
                    trialID: record.trial.id, degradation: record.trial.cell.degradation,
                    cluster: judged.cluster,
                    isPositive: record.trial.isPositive, outcome: outcome, wrongAnswers: judged.wrongAnswers,
                    processorSeconds: record.error == nil ? processorSeconds : nil, error: record.error)
            }
        }
    }

    package struct Answer: Sendable {
        package let trialID: String
        package let degradation: String
        /// The name that trials share if they are not independent of this one.
        package let cluster: String
        /// Whether the catalog holds the query's recording.
        package let isPositive: Bool
        package let outcome: Outcome
        /// Accepted answers that are wrong, at whatever rank.
        package let wrongAnswers: Int
        package let processorSeconds: Double?
        /// The error, if any; a positive then counts as missed, a negative in no rate.
        package let error: String?

        package init(
            trialID: String, degradation: String, cluster: String, isPositive: Bool, outcome: Outcome,
            wrongAnswers: Int = 0, processorSeconds: Double?, error: String? = nil
        ) {
            self.trialID = trialID
            self.degradation = degradation
            self.cluster = cluster
            self.isPositive = isPositive
            self.outcome = outcome
            self.wrongAnswers = wrongAnswers
            self.processorSeconds = processorSeconds
            self.error = error
        }
    }

    package let hours: Double
    package let realHours: Double
    package let realReferences: Int
    package let indexBytes: Int?
    /// The answers in the plan's order; the queries are the same at every size.
    package let answers: [Answer]

    package init(
        hours: Double, realHours: Double, realReferences: Int, indexBytes: Int?, answers: [Answer]
    ) {
        self.hours = hours
        self.realHours = realHours
        self.realReferences = realReferences
        self.indexBytes = indexBytes
        self.answers = answers
    }

    package struct Figures: Sendable {
        package let counts: OutcomeCounts
        /// Right answers at the matcher's own threshold, of positives.
        package let recall: Proportion
        package let wrongReferences: Proportion
        package let falseAccepts: Proportion
        /// Queries with a wrong accepted answer at whatever rank, of all.
        package let wrongAnswers: Proportion
        package let positiveSeconds: Double?
        package let negativeSeconds: Double?
        package let errors: Int

        init(_ answers: [Answer]) {
            counts = OutcomeCounts(answers.map(\.outcome))
            func share(of isPositive: Bool, _ outcome: Outcome) -> Proportion {
                Proportion(
                    clustered: answers.filter {
                        $0.isPositive == isPositive && $0.outcome != .negativeError
                    }
                    .map { (cluster: $0.cluster, success: $0.outcome == outcome) })
            }
            func median(of isPositive: Bool) -> Double? {
                Percentile.of(
                    answers.filter { $0.isPositive == isPositive }.compactMap(\.processorSeconds), at: 0.5)
            }
            recall = share(of: true, .correct)
            wrongReferences = share(of: true, .wrongReference)
            falseAccepts = share(of: false, .falseAccept)
            wrongAnswers = Proportion(clustered: answers.map { ($0.cluster, $0.wrongAnswers > 0) })
            positiveSeconds = median(of: true)
            negativeSeconds = median(of: false)
            errors = answers.count { $0.error != nil }
        }
    }

    package var figures: Figures { Figures(answers) }

    package func figures(of degradation: String) -> Figures {
        Figures(answers.filter { $0.degradation == degradation })
    }

    package var degradations: [String] {
        answers.map(\.degradation).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Compares the positives with those of a smaller catalog, trial by trial.
    package func compared(with smaller: GrowthPoint) -> PairedComparison {
        PairedComparison(pairs(with: smaller).map { ($0.before, $0.after) })
    }

    /// The probability of a change at least as uneven, by recording.
    package func probability(against smaller: GrowthPoint) -> Double {
        PairedEvidence(pairs(with: smaller), seed: 0x6407).probability
    }

    private func pairs(with smaller: GrowthPoint) -> [(cluster: String, before: Bool, after: Bool)] {
        zip(smaller.answers, answers).filter { $0.0.isPositive }
            .map { ($0.0.cluster, $0.0.outcome == .correct, $0.1.outcome == .correct) }
    }
}

extension GrowthPoint {
    /// What the name of an index adds to that of its size; the queries of the size share the first part.
    static let indexSuffix = "/index"

    init(_ index: Index, _ answers: [Asked]) {
        self.init(
            hours: index.hours, realHours: index.realHours, realReferences: index.realReferences,
            indexBytes: index.bytes, answers: answers.compactMap(\.answer))
    }

    /// The sizes that a folder holds, smallest first.
    package static func stored(in folder: StudyFolder, of key: TrialStore.RunKey) throws -> [GrowthPoint] {
        let names = try folder.store.names(of: .outcome, in: key)
        return try names.filter { $0.hasSuffix(indexSuffix) }.flatMap { name in
            let size = name.dropLast(indexSuffix.count) + "/"
            let answers = try folder.store.contents(
                Asked.self, as: .outcome, in: key, named: names.filter { $0.hasPrefix(size) && $0 != name }
            ).map(\.content)
            return try folder.store.contents(Index.self, as: .outcome, in: key, named: [name])
                .map { GrowthPoint($0.content, answers) }
        }.sorted { $0.hours < $1.hours }
    }
}
