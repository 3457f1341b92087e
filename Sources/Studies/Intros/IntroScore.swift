import AudioCore
import Evaluation
import Metrics

/// The scores of a study if references are claimed from a lead of `margin` on.
package struct IntroScore: Sendable {
    package struct Cell: Hashable, Sendable {
        /// The number of episodes in the set, or of tags.
        package var episodes: Int
        package var condition: String
        package var lengthSeconds: Double
        /// The time from the intro's end to the query's end, in seconds; only at a boundary.
        package var tailSeconds: Double?
        /// The distance of neighbouring tags in percent; only for tags.
        package var spacingPercent: Double?
    }

    /// The queries of one cell; intervals are clustered by set.
    package struct Row: Sendable {
        package let cell: Cell
        package let records: [IntroRecord]
        let margin: Double

        package var right: Proportion { share(of: .right) }
        package var wrong: Proportion { share(of: .wrong) }
        package var ambiguous: Proportion { share(of: .ambiguous) }
        package var missed: Proportion { share(of: .missed) }
        /// The share with the right episode first, claimed or not.
        package var rightFirst: Proportion { records.share { $0.first == $0.right } }
        /// The share with every episode of the set accepted.
        package var allAccepted: Proportion { records.share { $0.accepted == $0.episodes } }

        private func share(of verdict: IntroVerdict) -> Proportion {
            records.share { $0.verdict(margin: margin) == verdict }
        }
    }

    /// The lead from which on a reference is claimed.
    package let margin: Double
    package let inside: [Row]
    package let boundary: [Row]

    /// Scores `records`; rows are sorted by condition, episodes, length and tail.
    package init(_ records: [IntroRecord], margin: Double) {
        self.margin = margin
        func rows(_ kind: IntroRecord.Kind) -> [Row] {
            let groups = Dictionary(grouping: records.filter { $0.kind == kind }) { $0.cell }
            return groups.sorted { Cell.precedes($0.key, $1.key) }.map {
                Row(cell: $0.key, records: $0.value, margin: margin)
            }
        }
        inside = rows(.inside)
        boundary = rows(.boundary)
    }
}

extension IntroScore.Cell {
    static func precedes(_ a: Self, _ b: Self) -> Bool {
        (a.condition, a.episodes, a.lengthSeconds, a.tailSeconds ?? 0)
            < (b.condition, b.episodes, b.lengthSeconds, b.tailSeconds ?? 0)
    }
}

extension [IntroRecord] {
    /// The share of the records that count, clustered by set.
    fileprivate func share(_ isCounted: (IntroRecord) -> Bool) -> Proportion {
        Proportion(clustered: map { ($0.set, isCounted($0)) })
    }
}

extension IntroRecord {
    var cell: IntroScore.Cell {
        IntroScore.Cell(
            episodes: episodes, condition: condition, lengthSeconds: lengthSeconds, tailSeconds: tailSeconds,
            spacingPercent: spacingPercent)
    }
}

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
                ? .infinity : sorted[min(sorted.count - 1, Int(bounded: share * Double(sorted.count)))]
        }
    }

    /// The time within which an episode should be known, in seconds.
    package static let soonSeconds = 1.0

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

    private func delay(of records: [IntroRecord]) -> Double? {
        records.sorted { ($0.tailSeconds ?? 0) > ($1.tailSeconds ?? 0) }
            .prefix { $0.verdict(margin: margin) == .right }.last?.tailSeconds
    }

    /// The answers to each episode shortly after the intro.
    package struct Confusion: Sendable {
        package let episodes: Int
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

/// How well the skew of the intro distinguishes episodes.
package struct TagScore: Sendable {
    package struct Row: Sendable {
        /// The distance of neighbouring tags in percent.
        package let spacingPercent: Double
        package let condition: String
        package let lengthSeconds: Double
        package let right: Proportion
        /// The share with the right tag by the skew measured without assuming a kind of skew.
        package let rightFree: Proportion
        package let missed: Proportion
    }

    package struct Reliable: Sendable {
        package let condition: String
        package let lengthSeconds: Double
        /// The spacing in percent; nil if even the largest is not reliable.
        package let spacingPercent: Double?
        package let evidence: Proportion?

        /// The number of episodes that fit within ±``IntroDesign/largestTag``; nil without a spacing.
        package var episodes: Int? { spacingPercent.map(IntroDesign.episodes(taggedAt:)) }
    }

    /// The least lower end of the 95 % interval of the share with the right tag.
    package static let reliableShare = 0.95

    /// By condition, length and descending spacing.
    package let rows: [Row]

    package init(_ records: [IntroRecord]) {
        let groups = Dictionary(grouping: records.filter { $0.kind == .tag }, by: \.cell)
        rows = groups.map { cell, records in
            Row(
                spacingPercent: cell.spacingPercent ?? 0, condition: cell.condition,
                lengthSeconds: cell.lengthSeconds,
                right: records.share { $0.first == 1 && $0.tag == $0.right },
                rightFree: records.share { $0.first == 1 && $0.freeTag == $0.right },
                missed: records.share { $0.first != 1 })
        }.sorted {
            ($0.condition, $0.lengthSeconds, $1.spacingPercent) < (
                $1.condition, $1.lengthSeconds, $0.spacingPercent
            )
        }
    }

    /// Whether a spacing without a wrong tag has too few queries to be reliable.
    package var isTooSmall: Bool {
        rows.contains { row in
            row.right.rate == 1 && (row.right.wilsonInterval()?.lower ?? 0) < Self.reliableShare
        }
    }

    /// For each condition and length, the smallest spacing that is reliable together with all larger ones.
    package var reliable: [Reliable] {
        var found: [Reliable] = []
        var isBroken = false
        for row in rows {
            let isNew =
                found.last?.condition != row.condition || found.last?.lengthSeconds != row.lengthSeconds
            if isNew {
                isBroken = false
                found.append(
                    Reliable(
                        condition: row.condition, lengthSeconds: row.lengthSeconds, spacingPercent: nil,
                        evidence: nil))
            }
            isBroken = isBroken || (row.right.wilsonInterval()?.lower ?? 0) < Self.reliableShare
            guard !isBroken else { continue }
            found[found.count - 1] = Reliable(
                condition: row.condition, lengthSeconds: row.lengthSeconds,
                spacingPercent: row.spacingPercent,
                evidence: row.right)
        }
        return found
    }
}
