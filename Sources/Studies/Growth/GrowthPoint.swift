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
    }

    package struct Answer: Sendable {
        package let trial: JudgedTrial
        /// Of the matcher, on its thread; nil if it did not run or failed.
        package let processorSeconds: Double?

        package init(_ trial: JudgedTrial, processorSeconds: Double?) {
            self.trial = trial
            self.processorSeconds = trial.record.error == nil ? processorSeconds : nil
        }
    }

    package let hours: Double
    package let realHours: Double
    package let realReferences: Int
    package let indexBytes: Int?
    /// The answers in the plan's order; the queries are the same at every size.
    package let answers: [Answer]
    package let figures: Figures

    /// - Parameter answers: those to queries whose format is not offered are left out.
    package init(
        hours: Double, realHours: Double, realReferences: Int, indexBytes: Int?, answers: [Answer]
    ) {
        self.hours = hours
        self.realHours = realHours
        self.realReferences = realReferences
        self.indexBytes = indexBytes
        self.answers = answers.filter { $0.trial.outcome != nil }
        figures = Figures(self.answers)
    }

    /// The figures of a run at the matcher's own threshold, and those of growth alone.
    @dynamicMemberLookup
    package struct Figures: Sendable {
        private let score: Scorecard
        /// Of all negatives; ``Scorecard/falseAcceptRate`` counts those of the same samples once.
        package let falseAccepts: Proportion
        /// Queries with a wrong accepted answer at whatever rank, of all.
        package let wrongAnswers: Proportion
        /// The median of known queries.
        package let positiveSeconds: Double?
        /// The median of negatives.
        package let negativeSeconds: Double?

        init(_ answers: [Answer]) {
            let trials = answers.map(\.trial)
            score = Scorecard(trials, highestWrongScore: nil)
            falseAccepts = Proportion(
                clustered: trials.filter { !$0.isPositive && $0.outcome != .negativeError }
                    .map { ($0.cluster, $0.outcome == .falseAccept) })
            wrongAnswers = Proportion(clustered: trials.map { ($0.cluster, $0.wrongAnswers > 0) })
            func median(of isPositive: Bool) -> Double? {
                Percentile.of(
                    answers.filter { $0.trial.isPositive == isPositive }.compactMap(\.processorSeconds),
                    at: 0.5)
            }
            positiveSeconds = median(of: true)
            negativeSeconds = median(of: false)
        }

        package subscript<Value>(dynamicMember path: KeyPath<Scorecard, Value>) -> Value {
            score[keyPath: path]
        }
    }

    package func figures(of degradation: String) -> Figures {
        Figures(answers.filter { $0.trial.degradation == degradation })
    }

    package var degradations: [String] {
        answers.map(\.trial.degradation).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
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
        zip(smaller.answers.map(\.trial), answers.map(\.trial)).filter { $0.0.isPositive }
            .map { ($0.0.cluster, $0.0.outcome == .correct, $0.1.outcome == .correct) }
    }
}

extension JudgedTrial {
    fileprivate var isPositive: Bool { record.trial.isPositive }
    fileprivate var degradation: String { record.trial.cell.degradation }
}

extension GrowthPoint {
    /// What the name of an index adds to that of its size; the queries of the size share the first part.
    static let indexSuffix = "/index"

    init(_ index: Index, _ answers: [Asked]) {
        self.init(
            hours: index.hours, realHours: index.realHours, realReferences: index.realReferences,
            indexBytes: index.bytes,
            answers: answers.map {
                Answer(JudgedTrial($0.record, threshold: nil), processorSeconds: $0.processorSeconds)
            })
    }

    /// The sizes that a store holds, smallest first.
    package static func stored(_ study: StoredRun, in store: TrialStore) throws -> [GrowthPoint] {
        let names = try store.finishedTrials(of: study.key)
        return try names.filter { $0.hasSuffix(indexSuffix) }.flatMap { name in
            let size = name.dropLast(indexSuffix.count) + "/"
            let answers = try store.contents(
                Asked.self, as: .trial, in: study.key,
                named: names.filter { $0.hasPrefix(size) && $0 != name }
            ).map(\.content)
            return try store.contents(Index.self, as: .trial, in: study.key, named: [name])
                .map { GrowthPoint($0.content, answers) }
        }.sorted { $0.hours < $1.hours }
    }
}
