import Evaluation
import Metrics

extension IntroScore {
    /// The time after the intro from which the right episode stays the only answer.
    package struct Delays: Sendable {
        /// The episodes, condition and length, without a tail.
        package let cell: Cell
        /// For each queried episode, the time in seconds from which on every query is right.
        ///
        /// Nil if the last query is not.
        package let seconds: [Double?]
        /// The share of episodes that are known within ``IntroScore/soonSeconds``.
        package let soon: Proportion

        /// The median; infinite if half are never known.
        package var median: Double { quantile(0.5) }
        /// The 95th percentile; infinite if 5 % are never known.
        package var percentile95: Double { quantile(0.95) }

        private func quantile(_ share: Double) -> Double {
            let sorted = seconds.map { $0 ?? .infinity }.sorted()
            return sorted.isEmpty
                ? .infinity : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
        }
    }

    /// The time within which an episode should be known, in seconds.
    package static let soonSeconds = 1.0

    /// The delays of each number of episodes, condition and length.
    package var delays: [Delays] {
        let records = boundary.flatMap(\.records)
        let groups = Dictionary(grouping: records) { record in
            var cell = record.cell
            cell.tailSeconds = nil
            return cell
        }
        return groups.sorted { Cell.precedes($0.key, $1.key) }.map { cell, records in
            let episodes = Dictionary(grouping: records) { "\($0.set) \($0.right)" }.sorted {
                $0.key < $1.key
            }
            let seconds = episodes.map { delay(of: $0.value) }
            let soon = zip(episodes, seconds).map {
                ($0.value[0].set, ($1 ?? .infinity) <= Self.soonSeconds)
            }
            return Delays(cell: cell, seconds: seconds, soon: Proportion(clustered: soon))
        }
    }

    /// The time from which on all records of an episode are right.
    private func delay(of records: [IntroRecord]) -> Double? {
        records.sorted { ($0.tailSeconds ?? 0) > ($1.tailSeconds ?? 0) }
            .prefix { $0.verdict(margin: margin) == .right }.last?.tailSeconds
    }

    /// The answers to each episode shortly after the intro.
    package struct Confusion: Sendable {
        /// The number of episodes in each set.
        package let episodes: Int
        /// The name of the condition.
        package let condition: String
        /// The time from the intro's end to the query's end, in seconds.
        package let tailSeconds: Double
        /// A row for each true episode, a column for each answered episode.
        ///
        /// The last three columns count other recordings, ambiguous answers and misses.
        package let counts: [[Int]]
    }

    /// The confusions of queries of all lengths at the first tail of ``soonSeconds`` or more.
    package var confusions: [Confusion] {
        let records = boundary.flatMap(\.records)
        guard let tail = records.compactMap(\.tailSeconds).filter({ $0 >= Self.soonSeconds }).min() else {
            return []
        }
        let groups = Dictionary(grouping: records.filter { $0.tailSeconds == tail }) { record in
            Cell(episodes: record.episodes, condition: record.condition, lengthSeconds: 0)
        }
        return groups.sorted { Cell.precedes($0.key, $1.key) }.map { cell, records in
            var counts = [[Int]](
                repeating: [Int](repeating: 0, count: cell.episodes + 3), count: cell.episodes)
            for record in records {
                let column =
                    switch record.verdict(margin: margin) {
                    case .missed: cell.episodes + 2
                    case .ambiguous: cell.episodes + 1
                    case .right, .wrong: (record.first ?? 0) == 0 ? cell.episodes : (record.first ?? 0) - 1
                    }
                counts[record.right - 1][column] += 1
            }
            return Confusion(
                episodes: cell.episodes, condition: cell.condition, tailSeconds: tail, counts: counts)
        }
    }
}
