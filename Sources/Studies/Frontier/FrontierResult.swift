import Evaluation

/// Where each query is lost along each axis, with where the figures come from.
package struct FrontierResult: Sendable {
    /// One query along one axis.
    package struct Limit: Sendable {
        /// The position of the axis among ``axes``.
        package let axis: Int
        /// The name of the query.
        package let query: String
        /// The track it was cut from.
        package let track: String
        /// The equivalence class of the track: queries of one class are not independent.
        package let cluster: String
        /// Where in the track it begins, in seconds.
        package let startSeconds: Double
        /// What the search found.
        package let finding: FrontierFinding
        /// The trials by rung.
        package let trials: [Int: JudgedTrial]

        /// The trial at the mildest rung from which the query was lost for good.
        package var lostTrial: JudgedTrial? { finding.firstLost.flatMap { trials[$0] } }
        /// How many trials could not be made or answered; they count as lost.
        package var errors: Int { trials.values.count { $0.record.error != nil } }
    }

    /// The axes, in order.
    package let axes: [FrontierAxis]
    /// Every query along every axis: axis by axis, queries in order.
    package let limits: [Limit]
    /// Where the figures come from.
    package let facts: RunFacts

    /// Gathers a result.
    package init(axes: [FrontierAxis], limits: [Limit], facts: RunFacts) {
        self.axes = axes
        self.limits = limits
        self.facts = facts
    }

    /// The limits along one axis.
    package func limits(axis: Int) -> [Limit] { limits.filter { $0.axis == axis } }

    /// How many times the contestant was asked.
    package var runs: Int { limits.reduce(0) { $0 + $1.finding.answers.count } }

    /// How many times it would have been asked for every query at every rung.
    package var gridRuns: Int { limits.reduce(0) { $0 + $1.finding.rungs } }
}
