/// The error of a skew that ordinary spectral peaks allow, to hold the measured one against.
///
/// It is a yardstick and no bound: a matcher that finds more or longer partials may do better, and
/// noise, rooms and codecs leave it worse off. Peaks are taken as independent and normal in error.
package enum SkewYardstick {
    /// The error of one matched pair of landmarks in time, and how many independent ones a second gives.
    package static let timeError = (seconds: 0.005, perSecond: 6.0)
    /// The error of one peak's frequency as a fraction, and how many peaks a second gives.
    ///
    /// The Cramér–Rao bound √6 / (2π d √(E/N₀)) of Rife and Boorstyn, IEEE Transactions on Information
    /// Theory 20(5), 1974, for a partial of 1 kHz that lasts d = 0.128 s, 20 dB above the noise: 0.3 Hz.
    package static let frequencyError = (fraction: 3e-4, perSecond: 20.0)
    /// The median magnitude of a normal error with a standard deviation of 1.
    private static let medianOfNormal = 0.6745

    /// The median magnitude of the error in a query of some length, as a fraction.
    ///
    /// In time it is that of a line through n points spread evenly over the query, σ √(12 / n) / T; in
    /// frequency that of a mean of n, σ / √n.
    static func medianError(_ estimate: SkewScorecard.Estimate, seconds: Double) -> Double {
        switch estimate {
        case .time:
            let count = timeError.perSecond * seconds
            return medianOfNormal * timeError.seconds * (12 / count).squareRoot() / seconds
        case .frequency:
            return medianOfNormal * frequencyError.fraction
                / (frequencyError.perSecond * seconds).squareRoot()
        }
    }
}
