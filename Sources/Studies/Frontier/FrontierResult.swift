import Evaluation

/// Where each query is lost along each axis, with where the figures come from.
package struct FrontierResult: Sendable {
    package struct Limit: Sendable {
        /// The position of the axis among ``axes``.
        package let axis: Int
        package let query: String
        package let track: String
        /// The equivalence class of the track: queries of one class are not independent.
        package let cluster: String
        package let startSeconds: Double
        package let finding: FrontierFinding
        package let trials: [Int: JudgedTrial]

        package var lostTrial: JudgedTrial? { finding.firstLost.flatMap { trials[$0] } }
        /// How many trials could not be made or answered; they count as lost.
        package var errors: Int { trials.values.count { $0.record.error != nil } }
    }

    /// The axes, in order.
    package let axes: [FrontierAxis]
    /// Every query along every axis: axis by axis, queries in order.
    package let limits: [Limit]
    package let facts: RunFacts

    package init(axes: [FrontierAxis], limits: [Limit], facts: RunFacts) {
        self.axes = axes
        self.limits = limits
        self.facts = facts
    }

    package func limits(axis: Int) -> [Limit] { limits.filter { $0.axis == axis } }

    package var runs: Int { limits.reduce(0) { $0 + $1.finding.answers.count } }

    package var gridRuns: Int { limits.reduce(0) { $0 + $1.finding.rungs } }
}
