import Glibc

/// The probability that the query was recorded in a reverberant room, and the delay of its energy.
///
/// A room delays energy: peaks are later than the direct sound, so the reference seems to be earlier. In a room,
/// prominent peaks scatter widely in time; noise that scatters peaks as much would mask them. The delay hardly depends
/// on the room, so the correction is the delay times the probability of a room.
enum Reverberance {
    /// The mean delay in rooms of 0.3 … 1.5 s reverberation time, in seconds (Experiments.md, "Rooms").
    static let delaySeconds = 0.012

    /// The probability of a room, by logistic regression over rooms and all other degradations, from the middle band.
    static func probability(_ evidence: PeakEvidence, _ full: FullEvidence) -> Double {
        let scatter = Double(evidence.meanSquareFrames)
        let height = Double(full.contrasts[0].mean)
        let share = full.recovery.share
        let matched = Double(evidence.matchedPeaks) / Double(max(full.recovery.peaks, 1))
        var logOdds = -22.536
        logOdds += -10.492 * scatter + 64.079 * Double(evidence.meanSquareBins)
        logOdds += 3.659 * height + 1.646 * Double(full.contrasts[0].shiftedMean)
        logOdds += -6.714 * share - 0.330 * matched
        logOdds += 12.491 * scatter * height + 4.146 * scatter * share
        return 1 / (1 + exp(-logOdds))
    }
}
