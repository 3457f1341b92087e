import Metrics

package enum GateMeasure: String, Sendable, CaseIterable {
    /// correct / positives.
    case recall
    /// Positives claimed rightly above the run's highest wrong score / positives.
    case recallAtZeroFalseAccepts
    /// wrongReference / positives.
    case wrongReferenceRate
    /// falseAccept / negatives.
    case falseAcceptRate
    /// Trials that erred / trials.
    case errorRate
    case offsetErrorSeconds
    /// The magnitude of the error of the measured frequency skew, as a fraction.
    case frequencySkewError
    /// The magnitude of the error of the measured time skew, as a fraction.
    case timeSkewError
    case latencyRatio

    package var magnitude: TrialResult.Magnitude? { TrialResult.Magnitude(rawValue: rawValue) }

    package var isBetterHigh: Bool { self == .recall || self == .recallAtZeroFalseAccepts }

    package func counts(_ trial: ScoredRun.Trial) -> Bool {
        guard trial.result.outcome != nil else { return false }
        return switch self {
        case .recall, .recallAtZeroFalseAccepts, .wrongReferenceRate: trial.isPositive
        case .falseAcceptRate: !trial.isPositive
        default: true
        }
    }

    package func holds(_ result: TrialResult) -> Bool {
        switch self {
        case .recall: result.outcome == .correct
        case .recallAtZeroFalseAccepts: result.isRightAboveWrong
        case .wrongReferenceRate: result.outcome == .wrongReference
        case .falseAcceptRate: result.outcome == .falseAccept
        case .errorRate: result.isError
        default: false
        }
    }
}
