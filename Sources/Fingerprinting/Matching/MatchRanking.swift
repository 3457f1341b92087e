package struct MatchRanking: Sendable {
    let settings: Settings.Decision

    package init(settings: Settings.Decision) { self.settings = settings }

    /// A reference at its best place, and its other places with nearly the same score.
    struct Answer {
        let best: VerifiedCandidate
        let alternatives: [VerifiedCandidate]
    }

    /// The best candidate of each reference, best reference first.
    ///
    /// The order is by score. But scores saturate: of copies, the one without skew is right. So references that are sure are
    /// in order of the evidence of peaks less half the chi-square of the skew.
    /// The errors of skew and the chance of a match are those of the candidate with most evidence, so that larger errors
    /// are no advantage.
    func rank(_ candidates: [VerifiedCandidate]) -> [Answer] {
        let sorted = candidates.sorted(by: VerifiedCandidate.precedes)
        var seen: Set<Int> = []
        var best = sorted.filter { seen.insert($0.candidate.reference).inserted }
        best = contendersFirst(
            best, score: { $0.score ?? -.infinity }, peakEvidence: \.evidence.peakLogLikelihood,
            skewedEvidence: skewedEvidence)
        return best.prefix(settings.answers).map {
            Answer(best: $0, alternatives: alternatives(to: $0, among: sorted))
        }
    }

    private func alternatives(
        to best: VerifiedCandidate, among sorted: [VerifiedCandidate]
    ) -> [VerifiedCandidate] {
        guard let score = best.score else { return [] }
        return sorted.filter {
            $0.candidate.reference == best.candidate.reference
                && abs($0.referenceFrameOfQueryStart - best.referenceFrameOfQueryStart) >= 8
                && ($0.score ?? -.infinity) >= score - settings.alternativeMargin
        }
    }

    /// The evidence of peaks less half the chi-square of the skew, with the errors and the chance of `strongest`.
    private func skewedEvidence(
        of verified: VerifiedCandidate, relativeTo strongest: VerifiedCandidate
    ) -> Double {
        skewedEvidence(
            matchedPeaks: verified.evidence.matchedPeaks, of: verified.evidence.peaks,
            chance: strongest.evidence.chanceOfPeak,
            octaves: Double(verified.fit.alignment.octaves) / Double(strongest.fit.octavesError),
            timeSkew: Double(verified.fit.alignment.timeSkew) / Double(strongest.fit.timeSkewError))
    }
}

extension MatchRanking {
    /// The order of matches in several catalogs, as ``rank(_:)`` would order them in one.
    package func order(of matches: [Match]) -> [Int] {
        let sorted = matches.indices.sorted {
            matches[$0].score != matches[$1].score ? matches[$0].score > matches[$1].score : $0 < $1
        }
        return contendersFirst(
            sorted, score: { matches[$0].score }, peakEvidence: { matches[$0].peakEvidence }
        ) { skewedEvidence(of: matches[$0], relativeTo: matches[$1]) }
    }

    /// Elements in order of score, with those far above the threshold in order of `skewedEvidence` relative to the one with most evidence of
    /// peaks.
    private func contendersFirst<Element>(
        _ sorted: [Element], score: (Element) -> Double, peakEvidence: (Element) -> Double,
        skewedEvidence: (Element, _ strongest: Element) -> Double
    ) -> [Element] {
        let sure = sorted.prefix { score($0) >= settings.threshold + settings.alternativeMargin }
        guard sure.count > 1,
            let strongest = sure.max(by: { peakEvidence($0) < peakEvidence($1) })
        else { return sorted }
        let least = settings.contenderShare * peakEvidence(strongest)
        let contenders = sure.filter { peakEvidence($0) >= least }
            .map { (element: $0, evidence: skewedEvidence($0, strongest)) }
            .enumerated()
            .sorted { ($1.element.evidence, $0.offset) < ($0.element.evidence, $1.offset) }
            .map(\.element.element)
        return contenders + sure.filter { peakEvidence($0) < least }
            + sorted.dropFirst(sure.count)
    }

    private func skewedEvidence(of match: Match, relativeTo strongest: Match) -> Double {
        let octavesError = strongest.frequencySkewError / NaturalLogarithmOf2.sixDigits
        return skewedEvidence(
            matchedPeaks: match.matchedPeaks, of: match.comparedPeaks, chance: strongest.chanceOfPeak,
            octaves: Double(Skew.octaves(fraction: match.freeFrequencySkew)) / octavesError,
            timeSkew: match.freeTimeSkew / strongest.timeSkewError)
    }

    /// The evidence of peaks less half the chi-square of skews, which count in standard errors.
    private func skewedEvidence(
        matchedPeaks: Int, of peaks: Int, chance: Float, octaves: Double, timeSkew: Double
    ) -> Double {
        PeakEvidence.logLikelihood(matchedPeaks, of: peaks, chance: chance)
            - min(0.5 * (octaves * octaves + timeSkew * timeSkew), settings.largestSkewPenalty)
    }
}
