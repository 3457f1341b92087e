import Metrics

/// How well the skew of the intro distinguishes episodes.
package struct TagScore: Sendable {
    /// The queries of one spacing, condition and length.
    package struct Row: Sendable {
        /// The distance of neighbouring tags in percent.
        package let spacingPercent: Double
        /// The name of the condition.
        package let condition: String
        /// The length of the queries in seconds.
        package let lengthSeconds: Double
        /// The share with the right tag by the reported skew.
        package let right: Proportion
        /// The share with the right tag by the skew measured without assuming a kind of skew.
        package let rightFree: Proportion
        /// The share without a match.
        package let missed: Proportion
    }

    /// The smallest reliable spacing.
    package struct Reliable: Sendable {
        /// The name of the condition.
        package let condition: String
        /// The length of the queries in seconds.
        package let lengthSeconds: Double
        /// The spacing in percent; nil if even the largest is not reliable.
        package let spacingPercent: Double?
        /// The share of right tags at that spacing.
        package let evidence: Proportion?

        /// The number of episodes that fit within ±``IntroPlanFile/largestTag``; 1 without a spacing.
        package var episodes: Int { spacingPercent.map(IntroPlanFile.episodes(taggedAt:)) ?? 1 }
    }

    /// The share of right tags from which on a spacing is reliable.
    package static let reliableShare = 0.99

    /// By condition, length and descending spacing.
    package let rows: [Row]

    /// Scores the tags among `records`.
    package init(_ records: [IntroRecord]) {
        let groups = Dictionary(grouping: records.filter { $0.kind == .tag }, by: \.cell)
        rows = groups.map { cell, records in
            func share(_ isCounted: (IntroRecord) -> Bool) -> Proportion {
                Proportion(clustered: records.map { ($0.set, isCounted($0)) })
            }
            return Row(
                spacingPercent: cell.spacingPercent ?? 0, condition: cell.condition,
                lengthSeconds: cell.lengthSeconds, right: share { $0.first == 1 && $0.tag == $0.right },
                rightFree: share { $0.first == 1 && $0.freeTag == $0.right }, missed: share { $0.first != 1 })
        }.sorted {
            ($0.condition, $0.lengthSeconds, $1.spacingPercent) < (
                $1.condition, $1.lengthSeconds, $0.spacingPercent
            )
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
            isBroken = isBroken || (row.right.rate ?? 0) < Self.reliableShare
            guard !isBroken else { continue }
            found[found.count - 1] = Reliable(
                condition: row.condition, lengthSeconds: row.lengthSeconds,
                spacingPercent: row.spacingPercent,
                evidence: row.right)
        }
        return found
    }
}
