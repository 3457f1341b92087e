import Evaluation

/// A failed trial, its easiest failing form, and the results one step easier.
package struct MinimisedCase: Codable, Hashable, Sendable {
    package struct StepLess: Codable, Hashable, Sendable {
        package var change: String
        package var cut: DegradedQuery
        package var verdict: Minimiser.Verdict
    }

    package var trialID: String
    package var run: TrialStore.RunKey
    package var original: DegradedQuery
    package var originalOutcome: String
    package var minimal: DegradedQuery
    package var outcome: String
    /// The references that would be right; none for a negative.
    package var expected: [String]
    package var answer: String?
    package var score: Double?
    /// The corpus and the matcher that show it.
    package var request: RunRequest
    /// Every way to make it one step easier.
    package var stepsLess: [StepLess]
    package var longestSeconds: Double
    package var runs: Int
}
