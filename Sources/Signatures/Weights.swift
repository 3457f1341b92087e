// Made by scripts/fit-engine.py from Reports/evidence: run it again instead of changing a number.

extension Settings.Weights {
    /// The fitted weights.
    public init() {
        constant = -2.031
        skew = Settings.Curve(
            knots: [-4, 0, 3, 10],
            slopes: [0.0, 0.0322, 0.2681, 0.1492, 0.0])
        frequencyGain = Settings.Curve(
            knots: [0, 4, 10, 18, 30],
            slopes: [0.0, 0.0, 0.1815, 0.1139, 0.0, 0.0])
        explainedShare = Settings.Curve(
            knots: [0, 0.15, 0.3, 0.5, 0.8],
            slopes: [0.0, 0.0009, 5.097, 12.225, 8.6003, 0.0])
        unexplainedHeight = Settings.Curve(
            knots: [3, 4, 5, 6.5, 8],
            slopes: [0.0, -3.692, 0.0, -2.3459, -0.5054, 0.0])
        concentration = Settings.Curve(
            knots: [-10, -2, 4, 12, 30],
            slopes: [0.0, 0.0851, 0.1127, 0.1282, 0.0, 0.0])
        peakEvidence = Settings.Curve(
            knots: [0, 0.7, 1.5, 3, 5],
            slopes: [0.0, 0.0, 0.0, 1.0274, 1.1543, 0.0])
        misfit = Settings.Curve(
            knots: [2, 2.4, 2.8, 3.2, 3.6, 4, 4.8],
            slopes: [0.0, -1.8473, -2.4305, -0.6474, 0.0, -6.1952, -3.3485, 0.0])
        lead = Settings.Curve(
            knots: [-1, 0, 0.7, 1.4, 2.2],
            slopes: [0.0, 0.024, 1.0462, 3.0597, 2.3508, 0.0])
        meanHeight = Settings.Curve(
            knots: [0.5, 1.5, 2.2, 2.8, 3.6],
            slopes: [0.0, 0.0, 0.8422, 0.0413, 2.3862, 0.0])
        misfitShare = Settings.Curve(
            knots: [10, 30],
            slopes: [0.0, 0.05, 0.0])
        meanHeightShare = Settings.Curve(
            knots: [3.5, 6],
            slopes: [0.0, 0.4, 0.0])
    }
}
