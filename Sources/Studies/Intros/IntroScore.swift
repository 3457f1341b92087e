import Evaluation
import Metrics

/// What the records of a study come to when references are claimed from a lead of `margin` on.
package struct IntroScore: Sendable {
    /// What queries that differ in nothing but chance have in common.
    package struct Cell: Hashable, Sendable {
        /// How many episodes the set has; of tags how many there are.
        package var episodes: Int
        /// The name of the condition.
        package var condition: String
        /// The length of the queries in seconds.
        package var lengthSeconds: Double
        /// How long after the intro's end they end, in seconds; nil but at a boundary.
        package var tailSeconds: Double?
        /// The distance of neighbouring tags in percent; nil but for tags.
        package var spacingPercent: Double?
    }

    /// The queries of one cell, each set counted for no more than it is worth.
    package struct Row: Sendable {
        /// What they have in common.
        package let cell: Cell
        /// Their records.
        package let records: [IntroRecord]
        /// How many of them are claimed, rightly.
        package let right: Proportion
        /// How many are claimed, wrongly.
        package let wrong: Proportion
        /// How many are said to be ambiguous.
        package let ambiguous: Proportion
        /// How many match nothing.
        package let missed: Proportion
        /// How many put the right episode first, claimed or not.
        package let rightFirst: Proportion
        /// How many have every episode of the set accepted.
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
    /// Queries within the intro.
    package let inside: [Row]
    /// Queries across its end.
    package let boundary: [Row]

    /// Scores `records`, whose order gives that of the rows.
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
    /// Fewer episodes, shorter queries, conditions by name, and earlier ends first.
    static func precedes(_ a: Self, _ b: Self) -> Bool {
        if a.condition != b.condition { return a.condition < b.condition }
        return (a.episodes, a.lengthSeconds, a.tailSeconds ?? 0) < (
            b.episodes, b.lengthSeconds, b.tailSeconds ?? 0
        )
    }
}

extension IntroRecord {
    /// The cell it belongs to.
    var cell: IntroScore.Cell {
        IntroScore.Cell(
            episodes: episodes, condition: condition, lengthSeconds: lengthSeconds, tailSeconds: tailSeconds,
            spacingPercent: spacingPercent)
    }
}
