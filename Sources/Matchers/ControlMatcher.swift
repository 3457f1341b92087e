/// A matcher that exists to check the judge: it is told the truth, so it must score perfectly.
public protocol ControlMatcher: Matcher {
    /// Answers from the truth; `references` is empty for a negative.
    func identify(_ query: Query, references: [String], truth: Truth?) throws -> [Candidate]
}
