import Signatures

extension Settings {
    /// Accepted references first, each group best first; equal ones keep their order.
    ///
    /// Whether a recording plays depends little on its skew, so the score counts the skew little. But of copies at several
    /// speeds, which all match, only the skew tells which one plays. So among accepted references its log-odds count in full.
    func bestFirst<Element>(
        _ elements: [Element], _ evidence: (Element) -> (score: Double, skewLogOdds: Double)
    ) -> [Element] {
        let ranked = elements.enumerated().map { place, element in
            let (score, skewLogOdds) = evidence(element)
            let isAccepted = score >= decision.threshold
            return (
                isAccepted: isAccepted, place: place, element: element,
                rank: isAccepted ? score - weights.skew(skewLogOdds) + skewLogOdds : score
            )
        }
        return ranked.sorted {
            if $0.isAccepted != $1.isAccepted { return $0.isAccepted }
            return ($1.rank, $0.place) < ($0.rank, $1.place)
        }.map(\.element)
    }
}

extension SkewPrior {
    /// The prior of a match that was found before, perhaps elsewhere.
    init(_ match: Match, settings: Settings.Verification) {
        self.init(
            skewOctaves: Skew.octaves(fraction: match.freeFrequencySkew),
            octavesError: Float(match.frequencySkewError / NaturalLogarithmOf2.sixDigits),
            timeSkew: Float(match.freeTimeSkew), timeSkewError: Float(match.timeSkewError),
            settings: settings)
    }
}
