import Evaluation
import Metrics

/// The stream figures of one cell: delay, stability and position of recognition.
package struct StreamedCell: Sendable {
    /// The shares of queries at one moment.
    package struct Moment: Sendable, Hashable {
        /// Seconds of each query played.
        package let seconds: Double
        /// A right reference is named.
        package let right: Proportion
        /// Another one is named.
        package let wrong: Proportion
        /// Nothing is named.
        package let none: Proportion
    }

    /// Percentiles of a time that may be infinite for some queries.
    package struct Times: Sendable, Hashable {
        /// The median in seconds; nil if it is infinite.
        package let median: Double?
        /// The 90th percentile in seconds; nil if it is infinite.
        package let percentile90: Double?
        /// The longest finite time in seconds.
        package let longest: Double?

        /// Summarises times in seconds; nil is infinite.
        package init(_ times: [Double?]) {
            let sorted = times.map { $0 ?? .infinity }.sorted()
            func at(_ share: Double) -> Double? {
                // As in `Percentile`, but a value between a finite and an infinite time is infinite.
                let position = Double(sorted.count - 1) * share
                let (low, high) = (Int(position), Int(position.rounded(.up)))
                guard !sorted.isEmpty, sorted[high].isFinite else { return nil }
                return sorted[low] + (position - Double(low)) * (sorted[high] - sorted[low])
            }
            median = at(0.5)
            percentile90 = at(0.9)
            longest = sorted.last { $0.isFinite }
        }
    }

    package let cell: Cell
    /// Its queries, in the plan's order.
    package let queries: [StreamedQuery]
    /// The shares over the seconds played, from 0 to the query's end.
    package let moments: [Moment]

    /// The step between ``moments``, in seconds.
    package static let stepSeconds = 0.25

    /// Takes the queries of one cell.
    package init(cell: Cell, queries: [StreamedQuery]) {
        self.cell = cell
        self.queries = queries
        let steps = Int((cell.lengthSeconds / Self.stepSeconds).rounded(.down))
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
        var order: [Cell] = []
        var members: [Cell: [StreamedQuery]] = [:]
        for query in queries {
            if members[query.cell] == nil { order.append(query.cell) }
            members[query.cell, default: []].append(query)
        }
        return order.map { StreamedCell(cell: $0, queries: members[$0] ?? []) }
    }

    /// Seconds to the first right answer.
    package var firstRight: Times { Times(queries.map(\.firstRightSeconds)) }
    /// Seconds to the right answer that does not change again.
    package var stable: Times { Times(queries.map(\.stableSeconds)) }
    /// The share of queries with a right answer at some time.
    package var everRight: Proportion { share { $0.firstRightSeconds != nil } }
    /// The share of queries with a wrong answer before a right one, or instead of it.
    package var wrongFirst: Proportion {
        share { ($0.firstWrongSeconds ?? .infinity) < ($0.firstRightSeconds ?? .infinity) }
    }
    /// The share of queries whose answer changed or ended at some time.
    package var flipped: Proportion { share { $0.flips > 0 } }
    /// The errors of position in seconds, strict.
    package var strictPosition: ErrorSummary? { ErrorSummary(queries.flatMap(\.positions.strictSeconds)) }
    /// The errors of position in seconds, to the nearest place that sounds alike.
    package var position: ErrorSummary? { ErrorSummary(queries.flatMap(\.positions.repeatAwareSeconds)) }
    /// The number of queries that could not be made or played.
    package var errors: Int { queries.count { $0.error != nil } }

    private func share(_ isMeant: (StreamedQuery) -> Bool) -> Proportion {
        Proportion(clustered: queries.map { (cluster: $0.cluster, success: isMeant($0)) })
    }
}
