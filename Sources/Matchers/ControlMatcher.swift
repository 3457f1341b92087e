/// A matcher that checks the judge: it receives the truth, so its score must be perfect.
public protocol ControlMatcher: Matcher {
    /// Answers from the truth; `references` is empty for a negative.
    func identify(_ query: Query, references: [String], truth: Truth?) throws -> [Candidate]
}
