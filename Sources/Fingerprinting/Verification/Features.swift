import Glibc

/// Measurements of a candidate on the spectrogram and on all peaks of the query.
struct Findings: Sendable {
    var contrast: Contrast
    var recovery: Recovery
    var explanation: Explanation
}

/// The features of a candidate; `Settings.Weights` describes each.
struct Features: Sendable {
    var skew: Double
    var contrastGain: Double
    var meanHeight: Double
    var recoveredShare: Double
    var referencePeaks: Double
    var lengthLog: Double
    var explainedShare: Double
    var unexplainedHeight: Double
    /// Matched peaks times how concentrated they are about their prediction.
    var concentration: Double

    /// Larger gains carry no information: music that swells as a whole gains height everywhere.
    private static let mostGain = 10.0

    init(
        _ evidence: Evidence, _ prior: SkewPrior, _ findings: Findings, lengthSeconds: Double,
        settings: Settings.Verification
    ) {
        skew = prior.logOdds
        contrastGain = min(findings.contrast.gain, Self.mostGain)
        meanHeight = Double(findings.contrast.mean)
        recoveredShare = findings.recovery.share
        referencePeaks = Double(findings.recovery.peaks)
        lengthLog = log(max(lengthSeconds, 0.1))
        explainedShare = findings.explanation.share
        unexplainedHeight = findings.explanation.unexplainedHeight
        concentration = Score.concentrated(evidence, settings: settings)
    }

    /// The log-odds of a match, in a catalog of `Settings.Decision.calibrationHours`.
    func logOdds(_ weights: Settings.Weights) -> Double {
        weights.constant + weights.skew * skew + weights.contrastGain * contrastGain
            + weights.meanHeight * meanHeight
            + weights.recoveredShare * recoveredShare + weights.referencePeaks * referencePeaks
            + weights.lengthLog * lengthLog + weights.explainedShare * explainedShare
            + weights.unexplainedHeight * unexplainedHeight + weights.concentration * concentration
    }

    func parts(_ weights: Settings.Weights) -> [(name: String, amount: Double)] {
        [
            ("starting point", weights.constant),
            ("kind of skew", weights.skew * skew),
            ("energy gained at the reference’s peaks", weights.contrastGain * contrastGain),
            ("mean energy there", weights.meanHeight * meanHeight),
            ("share of the reference’s peaks in the query", weights.recoveredShare * recoveredShare),
            ("how many peaks it has there", weights.referencePeaks * referencePeaks),
            ("length of the query", weights.lengthLog * lengthLog),
            ("share of prominent peaks that it explains", weights.explainedShare * explainedShare),
            ("height of the other prominent peaks", weights.unexplainedHeight * unexplainedHeight),
            ("how closely matched peaks agree", weights.concentration * concentration),
        ]
    }
}
