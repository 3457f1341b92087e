/// A trial that failed, the least that still fails of it, and what one step less comes to.
public struct MinimisedCase: Codable, Hashable, Sendable {
    /// One step less.
    public struct StepLess: Codable, Hashable, Sendable {
        /// What is different, in words.
        public var change: String
        /// The query.
        public var cut: DegradedCut
        /// What came of it; never a failure.
        public var verdict: Minimiser.Verdict
        /// The arguments of `earshot` that show it.
        public var arguments: [String]
    }

    /// The name of the trial.
    public var trialID: String
    /// The plan and the matcher it failed in.
    public var run: TrialStore.RunKey
    /// The trial's query.
    public var original: DegradedCut
    /// How the trial ended.
    public var originalOutcome: String
    /// The least that still fails.
    public var minimal: DegradedCut
    /// How that ends.
    public var outcome: String
    /// The references that would be right; none for a negative.
    public var expected: [String]
    /// The reference that was named, or that came first below the threshold.
    public var answer: String?
    /// The score of ``answer``.
    public var score: Double?
    /// The arguments of `earshot` that show it.
    public var arguments: [String]
    /// Every way to make it one step easier.
    public var stepsLess: [StepLess]
    /// The longest that a query was allowed to get, in seconds.
    public var longestSeconds: Double
    /// How many different queries were tried.
    public var runs: Int
}
