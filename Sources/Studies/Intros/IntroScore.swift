import Evaluation
import Metrics

/// The scores of a study if references are claimed from a lead of `margin` on.
package struct IntroScore: Sendable {
    /// The properties that equivalent queries share.
    package struct Cell: Hashable, Sendable {
        /// The number of episodes in the set, or of tags.
        package var episodes: Int
        /// The name of the condition.
        package var condition: String
        /// The length of the queries in seconds.
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
        /// The share of right claims.
        package let right: Proportion
        /// The share of wrong claims.
        package let wrong: Proportion
        /// The share of ambiguous answers.
        package let ambiguous: Proportion
        /// The share without a match.
        package let missed: Proportion
        /// The share with the right episode first, claimed or not.
        package let rightFirst: Proportion
        /// The share with every episode of the set accepted.
        package let allAccepted: Proportion

        init(_ cell: Cell, _ records: [IntroRecord], margin: Double) {
            self.cell = cell
            self.records = records
            func share(_ isCounted: (IntroRecord) -> Bool) -> Proportion {
                Proportion(clustered: records.map { ($0.set, isCounted($0)) })
            }
            right = share { $0.verdict(margin: margin) == .right }
            wrong = share { $0.verdict(margin: margin) == .wrong }
            ambiguous = share { $0.verdict(margin: margin) == .ambiguous }
            missed = share { $0.verdict(margin: margin) == .missed }
            rightFirst = share { $0.first == $0.right }
            allAccepted = share { $0.accepted == $0.episodes }
        }
    }

    /// The lead from which on a reference is claimed.
    package let margin: Double
    /// Queries inside the intro.
    package let inside: [Row]
    /// Queries across the intro's end.
    package let boundary: [Row]

    /// Scores `records`; rows are sorted by condition, episodes, length and tail.
    package init(_ records: [IntroRecord], margin: Double) {
        self.margin = margin
        func rows(_ kind: IntroRecord.Kind) -> [Row] {
            let groups = Dictionary(grouping: records.filter { $0.kind == kind }) { $0.cell }
            return groups.sorted { Cell.precedes($0.key, $1.key) }.map {
                Row($0.key, $0.value, margin: margin)
            }
        }
        inside = rows(.inside)
        boundary = rows(.boundary)
    }
}

extension IntroScore.Cell {
    /// Orders by condition, episodes, length and tail.
    static func precedes(_ a: Self, _ b: Self) -> Bool {
        if a.condition != b.condition { return a.condition < b.condition }
        return (a.episodes, a.lengthSeconds, a.tailSeconds ?? 0) < (
            b.episodes, b.lengthSeconds, b.tailSeconds ?? 0
        )
    }
}

extension IntroRecord {
    /// The cell that it belongs to.
    var cell: IntroScore.Cell {
        IntroScore.Cell(
            episodes: episodes, condition: condition, lengthSeconds: lengthSeconds, tailSeconds: tailSeconds,
            spacingPercent: spacingPercent)
    }
}
