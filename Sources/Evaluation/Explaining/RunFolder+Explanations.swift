import Matchers

extension RunFolder {
    /// The explanations that ``onlyRun()`` stores, by the name of the trial.
    public func explanations() throws -> [String: MatchExplanation] {
        let details = try store.contents(TrialDetail.self, as: .detail, in: theRun().key)
        return Dictionary(
            details.compactMap { detail in detail.content.explanation.map { (detail.trial, $0) } },
            uniquingKeysWith: { $1 })
    }
}
