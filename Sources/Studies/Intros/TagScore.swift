import Metrics

/// How well episodes are told by the skew that their intro is played at.
package struct TagScore: Sendable {
    /// The queries of one spacing, condition and length.
    package struct Row: Sendable {
        /// The distance of neighbouring tags in percent.
        package let spacingPercent: Double
        /// The name of the condition.
        package let condition: String
        /// The length of the queries in seconds.
        package let lengthSeconds: Double
        /// How many fall under the right tag by the skew that the matcher reports.
        package let right: Proportion
        /// The same by the skew as measured, without assuming a kind of skew.
        package let rightFree: Proportion
        /// How many match nothing.
        package let missed: Proportion
    }

    /// The smallest spacing that can be relied on.
    package struct Reliable: Sendable {
        /// The name of the condition.
        package let condition: String
        /// The length of the queries in seconds.
        package let lengthSeconds: Double
        /// The spacing in percent; nil when not even the largest will do.
        package let spacingPercent: Double?
        /// How many queries that rests on, in how many sets.
        package let evidence: Proportion?

        /// How many episodes fit within ``IntroPlanFile/largestTag`` either way; 1 without a spacing.
        package var episodes: Int { spacingPercent.map(IntroPlanFile.episodes(taggedAt:)) ?? 1 }
    }

    /// The share of right tags from which on a spacing can be relied on.
    package static let reliableShare = 0.99

    /// The rows, by condition, length and falling spacing.
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

    /// For each condition and length the smallest spacing that, with all larger ones, gives the right tag in
    /// ``reliableShare`` of the queries.
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
