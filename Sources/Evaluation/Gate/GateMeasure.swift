import Metrics

/// What a rule of a gate looks at.
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
    /// The magnitude of the offset error, in seconds.
    case offsetErrorSeconds
    /// The magnitude of the error of the measured frequency skew, as a fraction.
    case frequencySkewError
    /// The magnitude of the error of the measured time skew, as a fraction.
    case timeSkewError
    /// The latency over that of a fixed piece of work beside it.
    case latencyRatio

    /// The magnitude it is, when it is no rate.
    package var magnitude: TrialResult.Magnitude? { TrialResult.Magnitude(rawValue: rawValue) }

    /// Whether more is better.
    package var isBetterHigh: Bool { self == .recall || self == .recallAtZeroFalseAccepts }

    /// Whether a trial counts in the rate at all.
    package func counts(_ trial: ScoredRun.Trial) -> Bool {
        guard trial.result.outcome != nil else { return false }
        return switch self {
        case .recall, .recallAtZeroFalseAccepts, .wrongReferenceRate: trial.isPositive
        case .falseAcceptRate: !trial.isPositive
        default: true
        }
    }

    /// Whether a trial that counts is one of those the rate is of.
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
