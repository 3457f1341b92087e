import AudioCore
import Evaluation
import Metrics

/// The answers of a stream to one query, played from its beginning.
package struct StreamedQuery: Codable, Sendable {
    package enum Answer: Codable, Sendable, Hashable {
        case none
        case right
        case wrong(String)
    }

    package struct Change: Codable, Sendable, Hashable {
        package var seconds: Double
        package var answer: Answer

        package init(seconds: Double, answer: Answer) {
            self.seconds = seconds
            self.answer = answer
        }
    }

    /// The errors of the reported reference time at the ends of blocks.
    package struct PositionErrors: Codable, Sendable, Hashable {
        /// Signed, in seconds, one for each block that ends with a right answer.
        package var strictSeconds: [Double] = []
        /// The same to the nearest place that sounds alike.
        package var repeatAwareSeconds: [Double] = []

        package init() {}
    }

    package let trialID: String
    package let cell: Cell
    package let source: String
    /// The equivalence class, which trials share if they are not independent.
    package let cluster: String
    /// The changes of the answer in order; the first, at 0, is the answer to the music before.
    package let changes: [Change]
    package let positions: PositionErrors
    /// The error, if it could not be made or played; it then counts as never answered.
    package let error: String?

    package init(
        trialID: String, cell: Cell, source: String, cluster: String, changes: [Change],
        positions: PositionErrors = PositionErrors(), error: String? = nil
    ) {
        self.trialID = trialID
        self.cell = cell
        self.source = source
        self.cluster = cluster
        self.changes = changes
        self.positions = positions
        self.error = error
    }

    package var firstRightSeconds: Double? { changes.first { $0.answer == .right }?.seconds }

    package var firstWrongSeconds: Double? {
        changes.first {
            if case .wrong = $0.answer { true } else { false }
        }?.seconds
    }

    /// The time from which the answer is right and does not change again, in seconds.
    package var stableSeconds: Double? {
        changes.last.flatMap { $0.answer == .right ? $0.seconds : nil }
    }

    package var flips: Int { changes.dropLast().count { $0.answer != .none } }

    /// The number of wrong answers before the right one, or of all if none was right.
    package var wrongAnswersBeforeRight: Int {
        changes.prefix { $0.answer != .right }.count {
            if case .wrong = $0.answer { true } else { false }
        }
    }

    package func answer(at seconds: Double) -> Answer {
        changes.last { $0.seconds <= seconds }?.answer ?? .none
    }

    /// The median magnitude of the position error in seconds, with repeats allowed; nil if never right.
    package var medianPositionErrorSeconds: Double? {
        Percentile.of(positions.repeatAwareSeconds.map(abs), at: 0.5)
    }
}

/// The stream figures of one cell: delay, stability and position of recognition.
package struct StreamedCell: Sendable {
    package struct Moment: Sendable, Hashable {
        package let seconds: Double
        package let right: Proportion
        package let wrong: Proportion
        package let none: Proportion
    }

    /// Percentiles of a time that may be infinite for some queries.
    package struct Times: Sendable, Hashable {
        /// The median in seconds; nil if it is infinite.
        package let median: Double?
        /// The 90th percentile in seconds; nil if it is infinite.
        package let percentile90: Double?
        package let longest: Double?

        /// Summarises times in seconds; nil is infinite.
        package init(_ times: [Double?]) {
            let sorted = times.map { $0 ?? .infinity }.sorted()
            func at(_ share: Double) -> Double? {
                // As in `Percentile`, but a value between a finite and an infinite time is infinite.
                let position = Double(sorted.count - 1) * share
                let (low, high) = (Int(position), Int(bounded: position.rounded(.up)))
                guard !sorted.isEmpty, sorted[high].isFinite else { return nil }
                return sorted[low] + (position - Double(low)) * (sorted[high] - sorted[low])
            }
            median = at(0.5)
            percentile90 = at(0.9)
            longest = sorted.last { $0.isFinite }
        }
    }

    package let cell: Cell
    package let queries: [StreamedQuery]
    /// The shares over the seconds played, from 0 to the query's end.
    package let moments: [Moment]

    package static let stepSeconds = 0.25

    package init(cell: Cell, queries: [StreamedQuery]) {
        self.cell = cell
        self.queries = queries
        let steps = Int(bounded: (cell.lengthSeconds / Self.stepSeconds).rounded(.down))
        moments = (0...steps).map { step in
            let seconds = Double(step) * Self.stepSeconds
            let answers = queries.map { ($0.cluster, $0.answer(at: seconds)) }
            func share(_ isMeant: (StreamedQuery.Answer) -> Bool) -> Proportion {
                Proportion(clustered: answers.map { (cluster: $0.0, success: isMeant($0.1)) })
            }
            return Moment(
                seconds: seconds, right: share { $0 == .right },
                wrong: share { $0 != .right && $0 != .none }, none: share { $0 == .none })
        }
    }

    /// Groups queries into cells, in the order of their first ones.
    package static func cells(of queries: [StreamedQuery]) -> [StreamedCell] {
        Dictionary(grouping: queries.indices) { queries[$0].cell }.sorted { $0.value[0] < $1.value[0] }
            .map { StreamedCell(cell: $0.key, queries: $0.value.map { queries[$0] }) }
    }

    package var firstRight: Times { Times(queries.map(\.firstRightSeconds)) }
    package var stable: Times { Times(queries.map(\.stableSeconds)) }
    package var everRight: Proportion { share { $0.firstRightSeconds != nil } }
    /// The share of queries with a wrong answer before a right one, or instead of it.
    package var wrongFirst: Proportion {
        share { ($0.firstWrongSeconds ?? .infinity) < ($0.firstRightSeconds ?? .infinity) }
    }
    package var flipped: Proportion { share { $0.flips > 0 } }
    package var strictPosition: ErrorSummary? { ErrorSummary(queries.flatMap(\.positions.strictSeconds)) }
    package var position: ErrorSummary? { ErrorSummary(queries.flatMap(\.positions.repeatAwareSeconds)) }
    package var errors: Int { queries.count { $0.error != nil } }

    private func share(_ isMeant: (StreamedQuery) -> Bool) -> Proportion {
        Proportion(clustered: queries.map { (cluster: $0.cluster, success: isMeant($0)) })
    }
}
