/// What some trials give at a threshold that was chosen on others.
///
/// Unlike ``ZeroFalseAcceptPoint`` it estimates rates, because the trials had no part in the choice.
package struct CarriedThreshold: Codable, Hashable, Sendable {
    /// Claims score above this; nil claims every answer.
    package let above: Double?
    package let recall: Proportion
    /// Negatives with a claim.
    package let falseAccepts: Proportion
    /// Positives with a wrong claim.
    package let wrongReferences: Int

    /// Scores `trials` above `score`; a wrong claim that outscores a right one counts as the claim.
    package init(_ trials: some Collection<ScoredTrial>, above score: Double?) {
        above = score
        func isWrong(_ trial: ScoredTrial) -> Bool {
            trial.wrongScore.map { $0 > (score ?? -.infinity) && !trial.isRight(above: $0) } ?? false
        }
        let positives = trials.filter(\.isPositive)
        recall = Proportion(
            positives.count { $0.isRight(above: score) && !isWrong($0) }, of: positives.count)
        wrongReferences = positives.count(where: isWrong)
        falseAccepts = Proportion(
            trials.count { !$0.isPositive && isWrong($0) }, of: trials.count - positives.count)
    }
}
