import AudioCore
import Signatures

/// A place that a search examined, with the evidence for it in one set of bands.
package struct ExaminedPlace: Sendable {
    package let match: Match
    /// The bands, such as `low+middle`.
    package let bandSet: String
    /// Whether the score is that of these bands.
    package let isChosen: Bool
    /// In the order of `measured`.
    package let values: [Double?]

    /// What is measured: all that the score, the choice of what is scored, and the delay of a room follow from.
    package static let measured: [(name: String, meaning: String)] =
        measures.map { ($0.name, $0.meaning) }
        + [("sizeLogOdds", "what the size of the catalog takes from the score")]

    private static let measures:
        [(name: String, meaning: String, value: @Sendable (Evidence, Recovery) -> Double?)] = [
            (
                "skewLogOdds", "log-odds of the skew found against any skew",
                { evidence, _ in evidence.prior.logOdds }
            ),
            (
                "frequencyGain",
                "height at the reference's peaks over other frequencies, summed over independent peaks, log2 power",
                { evidence, _ in evidence.contrast.frequencyGain }
            ),
            (
                "meanHeight", "mean height at the reference's peaks, log2 power",
                { evidence, _ in Double(evidence.contrast.mean) }
            ),
            (
                "explainedShare",
                "share of the squared height of the query's prominent peaks at the reference's",
                { evidence, _ in evidence.explanation.share }
            ),
            (
                "unexplainedHeight", "mean height of the other prominent peaks, log2 power",
                { evidence, _ in evidence.explanation.unexplainedHeight }
            ),
            (
                "slotEvidence", "root of the log-likelihood ratio of matched slots of time against chance",
                { evidence, _ in evidence.peaks.ofSlots.squareRoot() }
            ),
            (
                "peakEvidence", "the same of matched peaks, less their dispersion",
                { evidence, _ in evidence.peaks.ofPeaks.squareRoot() }
            ),
            (
                "concentration", "matched peaks times how close they are to their prediction",
                { evidence, _ in evidence.peaks.concentration(Settings().verification) }
            ),
            (
                "misfit",
                "logarithm of the mean distance of strong peaks in time, times that in frequency, times the root of that in level",
                { evidence, _ in evidence.misfit.logarithm }
            ), ("misfitPeaks", "number of these peaks", { evidence, _ in Double(evidence.misfit.peaks) }),
            (
                "lead", "mean height less the highest at other times nearby, in standard deviations",
                { evidence, _ in evidence.lead }
            ),
            (
                "shiftedHeight", "mean height at shifts of time, log2 power",
                { evidence, _ in Double(evidence.contrast.shiftedMean) }
            ),
            (
                "scatterFrames", "mean square distance of matched peaks in frames of their bands",
                { evidence, _ in Double(evidence.peaks.meanSquareFrames) }
            ),
            (
                "scatterBins", "mean square distance of matched peaks in bins of their bands",
                { evidence, _ in Double(evidence.peaks.meanSquareBins) }
            ),
            (
                "matchedPeaks", "matched peaks of the query",
                { evidence, _ in Double(evidence.peaks.matchedPeaks) }
            ),
            (
                "comparedPeaks", "peaks of the query that could match",
                { evidence, _ in Double(evidence.peaks.peaks) }
            ),
            (
                "recoveredShare",
                "share of the reference's peaks of the middle band among all peaks of the query",
                { _, recovery in recovery.share }
            ), ("recoverablePeaks", "number of these peaks", { _, recovery in Double(recovery.peaks) }),
        ]

    fileprivate init(
        _ verified: VerifiedCandidate, _ full: FullEvidence, _ match: Match, bandSet: Int, sizeLogOdds: Double
    ) {
        let evidence = Evidence(for: verified, full, bandSet: bandSet)
        self.match = match
        self.bandSet = BandSet.all[bandSet].name
        isChosen = bandSet == verified.bandSet
        values = Self.measures.map { $0.value(evidence, full.recovery) } + [sizeLogOdds]
    }
}

extension Catalog {
    /// Searches for audio as `match(query:)` does, and returns the evidence for each place that gets a score.
    ///
    /// The search never ends early, and the lead is measured at every place. So which places there are depends on no weight.
    /// Both mixes are searched if the channels cancel or oppose each other.
    package func examine(_ audio: AudioBuffer) throws -> [ExaminedPlace] {
        let audio = QueryAudio(audio)
        let mean = try Query(audio, settings: settings, mix: .mean)
        let other: ChannelMix? =
            mean.channelsCancel || mean.channelsOppose ? audio.channelCount == 2 ? .difference : .first : nil
        let queries = [mean] + (try other.map { [try Query(audio, settings: settings, mix: $0)] } ?? [])
        return try queries.filter(isAnswerable).flatMap(examine)
    }

    private func examine(_ query: Query) throws -> [ExaminedPlace] {
        var search = Search(catalog: self, query: query)
        search.decideNothing()
        let verified = voteTables.withTable { search.run(&$0) }
        try contents.throwIfDamaged()
        return verified.sorted(by: VerifiedCandidate.precedes).flatMap { verified -> [ExaminedPlace] in
            guard let full = verified.fullEvidence else { return [] }
            let match = match(Answer(best: verified, alternatives: []))
            return BandSet.all.indices.map {
                ExaminedPlace(verified, full, match, bandSet: $0, sizeLogOdds: sizeLogOdds)
            }
        }
    }
}

extension BandSet {
    /// The names of its bands, from low to high.
    fileprivate var name: String {
        zip(["bass", "low", "middle", "high"], 0...).filter { contains($0.1) }.map(\.0).joined(separator: "+")
    }
}
