/// Where each query is lost along each axis, with where the figures come from.
public struct FrontierResult: Sendable {
    /// One query along one axis.
    public struct Limit: Sendable {
        /// The position of the axis among ``axes``.
        public let axis: Int
        /// The name of the query.
        public let query: String
        /// The track it was cut from.
        public let track: String
        /// The equivalence class of the track: queries of one class are not independent.
        public let cluster: String
        /// Where in the track it begins, in seconds.
        public let startSeconds: Double
        /// What the search found.
        public let finding: FrontierFinding
        /// The trials by rung.
        public let trials: [Int: JudgedTrial]

        /// The trial at the mildest rung from which the query was lost for good.
        public var lostTrial: JudgedTrial? { finding.firstLost.flatMap { trials[$0] } }
        /// How many trials could not be made or answered; they count as lost.
        public var errors: Int { trials.values.count { $0.record.error != nil } }
    }

    /// The axes, in order.
    public let axes: [FrontierAxis]
    /// Every query along every axis: axis by axis, queries in order.
    public let limits: [Limit]
    /// Where the figures come from.
    public let facts: RunFacts

    /// Gathers a result.
    public init(axes: [FrontierAxis], limits: [Limit], facts: RunFacts) {
        self.axes = axes
        self.limits = limits
        self.facts = facts
    }

    /// The limits along one axis.
    public func limits(axis: Int) -> [Limit] { limits.filter { $0.axis == axis } }

    /// How many times the contestant was asked.
    public var runs: Int { limits.reduce(0) { $0 + $1.finding.answers.count } }

    /// How many times it would have been asked for every query at every rung.
    public var gridRuns: Int { limits.reduce(0) { $0 + $1.finding.rungs } }
}
