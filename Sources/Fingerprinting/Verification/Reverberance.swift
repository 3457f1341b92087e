#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How likely the query was heard in a room, and how late that makes its energy.
///
/// A room delays energy: peaks are found later than their direct sound, so the reference seems to lie earlier. It shows
/// in peaks that scatter widely in time although they stand out, where noise that scatters them as much would bury
/// them. The lateness hardly depends on the room; so the share of it that is likely is taken off.
enum Reverberance {
    /// The mean lateness in a room, in seconds (rooms of 0.3 … 1.5 s reverberation time).
    static let latenessSeconds = 0.0145

    /// The probability of a room, by logistic regression over rooms and all other degradations.
    static func probability(_ evidence: Evidence, _ findings: Findings) -> Double {
        let scatter = Double(evidence.meanSquareFrames)
        let height = Double(findings.contrast.mean)
        let share = findings.recovery.share
        let matched = Double(evidence.matchedPeaks) / Double(max(findings.recovery.peaks, 1))
        var logOdds = -22.536
        logOdds += -10.492 * scatter + 64.079 * Double(evidence.meanSquareBins)
        logOdds += 3.659 * height + 1.646 * Double(findings.contrast.shiftedMean)
        logOdds += -6.714 * share - 0.330 * matched
        logOdds += 12.491 * scatter * height + 4.146 * scatter * share
        return 1 / (1 + exp(-logOdds))
    }
}
