import Fingerprinting
import Testing

/// The order of references: by score, and of sure ones by the evidence of peaks and the skew.
struct MatchRankingTests {
    private let settings = Settings().decision

    /// A match of 100 compared peaks, with a skew of time in its standard errors.
    private func match(score: Double, peaks: Int, skew: Double = 0) -> Match {
        Match(
            referenceID: "", referenceIndex: 0, offsetSeconds: 0, reverberationDelaySeconds: 0,
            alternatives: [], offsetErrorSeconds: 0, skewKind: .identity, frequencySkew: 0, timeSkew: 0,
            freeFrequencySkew: 0, freeTimeSkew: 0.001 * skew, frequencySkewError: 0.001,
            timeSkewError: 0.001, score: score, isAccepted: score >= settings.threshold,
            matchedPeaks: peaks, comparedPeaks: 100, peakEvidence: Double(peaks), chanceOfPeak: 0.1)
    }

    private func order(_ matches: Match...) -> [Int] { MatchRanking(settings: settings).order(of: matches) }

    @Test("Scores near the threshold decide, whatever peaks and skews say")
    func scoresDecide() {
        let below = settings.threshold + settings.alternativeMargin - 0.1
        for score in [-5, settings.threshold - 0.1, settings.threshold, below] {
            let matches = (match(score: score - 0.5, peaks: 90), match(score: score, peaks: 80, skew: 5))
            #expect(order(matches.0, matches.1) == [1, 0])
        }
        #expect(order(match(score: below, peaks: 90), match(score: below + 2, peaks: 80, skew: 5)) == [1, 0])
    }

    @Test("Of sure references, most evidence of peaks and least skew decide, and few peaks never come first")
    func evidenceDecides() {
        let large = settings.threshold + settings.alternativeMargin
        #expect(order(match(score: large + 5, peaks: 80), match(score: large, peaks: 90)) == [1, 0])
        #expect(
            order(match(score: large + 5, peaks: 90, skew: 12), match(score: large, peaks: 90)) == [1, 0])
        let few = Int(settings.contenderShare * 90) - 1
        #expect(
            order(match(score: large + 5, peaks: 90, skew: 50), match(score: large, peaks: few)) == [0, 1])
    }
}
