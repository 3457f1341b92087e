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
    /// The order is by score. But large scores saturate: of copies, the one without skew is right. So the first of those
    /// beyond `Settings.Decision.saturatedScore` are in order of the evidence of peaks less half the chi-square of the skew.
    /// The errors of skew and the chance of a match are those of the candidate with most evidence, so that larger errors
    /// are no advantage.
    func rank(_ candidates: [VerifiedCandidate]) -> [Answer] {
        let sorted = candidates.sorted(by: VerifiedCandidate.precedes)
        var seen: Set<Int> = []
        var best = sorted.filter { seen.insert($0.candidate.reference).inserted }
        let saturated = best.filter { ($0.score ?? -.infinity) >= settings.saturatedScore }
        if saturated.count > 1, let mostEvidence = saturated.map(\.peakLogLikelihood).max(),
            let strongest = saturated.first(where: { $0.peakLogLikelihood == mostEvidence })
        {
            let least = settings.contenderShare * mostEvidence
            let contenders = saturated.filter { $0.peakLogLikelihood >= least }
                .map { (candidate: $0, evidence: skewedEvidence(of: $0, relativeTo: strongest)) }
                .sorted {
                    $0.evidence != $1.evidence
                        ? $0.evidence > $1.evidence : VerifiedCandidate.precedes($0.candidate, $1.candidate)
                }
                .map(\.candidate)
            let weaker = saturated.filter { $0.peakLogLikelihood < least }
            best = contenders + weaker + best.dropFirst(saturated.count)
        }
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
                && ($0.score ?? -.infinity) >= score
                    - max(settings.alternativeMargin, settings.alternativeShare * score)
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

extension VerifiedCandidate {
    /// The log-likelihood ratio of the matched peaks against those matched by chance.
    var peakLogLikelihood: Double {
        Score.binomialEvidence(
            evidence.matchedPeaks, of: evidence.peaks,
            chance: min(max(Double(evidence.chanceOfPeak), 0.002), 0.999))
    }
}

extension MatchRanking {
    /// The order of matches in several catalogs, as ``rank(_:)`` would order them in one.
    package func order(of matches: [Match]) -> [Int] {
        let sorted = matches.indices.sorted {
            matches[$0].score != matches[$1].score ? matches[$0].score > matches[$1].score : $0 < $1
        }
        let saturated = sorted.prefix { matches[$0].score >= settings.saturatedScore }
        guard saturated.count > 1,
            let strongest = saturated.max(by: { matches[$0].peakEvidence < matches[$1].peakEvidence })
        else { return sorted }
        let least = settings.contenderShare * matches[strongest].peakEvidence
        let contenders = saturated.filter { matches[$0].peakEvidence >= least }
            .map { (place: $0, evidence: skewedEvidence(of: matches[$0], relativeTo: matches[strongest])) }
            .enumerated()
            .sorted {
                $0.element.evidence != $1.element.evidence
                    ? $0.element.evidence > $1.element.evidence : $0.offset < $1.offset
            }
            .map(\.element.place)
        return contenders + saturated.filter { matches[$0].peakEvidence < least }
            + sorted.dropFirst(saturated.count)
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
        Score.binomialEvidence(matchedPeaks, of: peaks, chance: min(max(Double(chance), 0.002), 0.999))
            - min(0.5 * (octaves * octaves + timeSkew * timeSkew), settings.largestSkewPenalty)
    }
}
