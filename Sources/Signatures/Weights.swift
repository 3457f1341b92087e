// Made by scripts/fit-engine.py from Reports/evidence: run it again instead of changing a number.

extension Settings.Weights {
    /// The fitted weights.
    public init() {
        constant = -4.703
        skew = Settings.Curve(
            knots: [-4, 0, 3, 10],
            slopes: [0.0, 0.0, 0.3152, 0.0881, 0.0])
        frequencyGain = Settings.Curve(
            knots: [0, 4, 10, 18, 30],
            slopes: [0.0, 0.0, 0.191, 0.0318, 0.0, 0.0])
        explainedShare = Settings.Curve(
            knots: [0, 0.15, 0.3, 0.5, 0.8],
            slopes: [0.0, 3.3973, 6.7251, 14.1931, 10.4309, 0.0])
        unexplainedHeight = Settings.Curve(
            knots: [3, 4, 5, 6.5, 8],
            slopes: [0.0, -3.5278, 0.0, -2.5115, -0.6042, 0.0])
        concentration = Settings.Curve(
            knots: [-10, -2, 4, 12, 30],
            slopes: [0.0, 0.1038, 0.101, 0.1038, 0.0, 0.0])
        peakEvidence = Settings.Curve(
            knots: [0, 0.7, 1.5, 3, 5],
            slopes: [0.0, 0.0, 0.0, 0.9807, 1.0994, 0.0])
        misfit = Settings.Curve(
            knots: [2, 2.4, 2.8, 3.2, 3.6, 4, 4.8],
            slopes: [0.0, -2.6009, -2.9125, -0.4391, 0.0, -8.6199, -3.2429, 0.0])
        lead = Settings.Curve(
            knots: [-1, 0, 0.7, 1.4, 2.2],
            slopes: [0.0, 0.0, 0.9381, 4.1326, 2.8144, 0.0])
        meanHeight = Settings.Curve(
            knots: [0.5, 1.5, 2.2, 2.8, 3.6],
            slopes: [0.0, 0.0, 2.127, 0.0, 2.4018, 0.0])
        length = Settings.Curve(
            knots: [0, 1],
            slopes: [0.0, 2.6477, 0.0])
        misfitShare = Settings.Curve(
            knots: [10, 30],
            slopes: [0.0, 0.05, 0.0])
        leadShare = Settings.Curve(
            knots: [-1, 3],
            slopes: [0.0, 0.25, 0.0])
        meanHeightShare = Settings.Curve(
            knots: [3.5, 6],
            slopes: [0.0, 0.4, 0.0])
    }
}
