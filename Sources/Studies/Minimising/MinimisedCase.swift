import Evaluation

/// A trial that failed, the least that still fails of it, and what one step less comes to.
package struct MinimisedCase: Codable, Hashable, Sendable {
    /// One step less.
    package struct StepLess: Codable, Hashable, Sendable {
        /// What is different, in words.
        package var change: String
        /// The query.
        package var cut: DegradedCut
        /// What came of it; never a failure.
        package var verdict: Minimiser.Verdict
    }

    /// The name of the trial.
    package var trialID: String
    /// The plan and the matcher it failed in.
    package var run: TrialStore.RunKey
    /// The trial's query.
    package var original: DegradedCut
    /// How the trial ended.
    package var originalOutcome: String
    /// The least that still fails.
    package var minimal: DegradedCut
    /// How that ends.
    package var outcome: String
    /// The references that would be right; none for a negative.
    package var expected: [String]
    /// The reference that was named, or that came first below the threshold.
    package var answer: String?
    /// The score of ``answer``.
    package var score: Double?
    /// The corpus and the matcher that show it.
    package var request: RunRequest
    /// Every way to make it one step easier.
    package var stepsLess: [StepLess]
    /// The longest that a query was allowed to get, in seconds.
    package var longestSeconds: Double
    /// How many different queries were tried.
    package var runs: Int
}
