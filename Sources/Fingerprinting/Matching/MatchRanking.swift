struct MatchRanking: Sendable {
    let settings: Settings.Decision

    /// A reference at its best place, and its other places with nearly the same score.
    struct Answer {
        let best: VerifiedCandidate
        let alternatives: [VerifiedCandidate]
    }

    /// The best candidate of each reference, best reference first.
    ///
    /// Candidates above the threshold come first. Their order is by the evidence of peaks less half the
    /// chi-square of the skew, because the score saturates: of copies, the one without skew is right. The
    /// errors of skew and the chance of a match are those of the candidate with most evidence, so that larger errors are
    /// no advantage.
    func rank(_ candidates: [VerifiedCandidate]) -> [Answer] {
        let sorted = candidates.sorted(by: VerifiedCandidate.precedes)
        var seen: Set<Int> = []
        var best = sorted.filter { seen.insert($0.candidate.reference).inserted }
        let accepted = best.filter { ($0.score ?? -.infinity) >= settings.threshold }
        if accepted.count > 1, let mostEvidence = accepted.map(\.peakLogLikelihood).max(),
            let strongest = accepted.first(where: { $0.peakLogLikelihood == mostEvidence })
        {
            let least = settings.contenderShare * mostEvidence
            let contenders = accepted.filter { $0.peakLogLikelihood >= least }
                .map { (candidate: $0, evidence: skewedEvidence(of: $0, relativeTo: strongest)) }
                .sorted {
                    $0.evidence != $1.evidence
                        ? $0.evidence > $1.evidence : VerifiedCandidate.precedes($0.candidate, $1.candidate)
                }
                .map(\.candidate)
            best =
                contenders + accepted.filter { $0.peakLogLikelihood < least } + best.dropFirst(accepted.count)
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
        let x = Double(verified.fit.alignment.octaves) / Double(strongest.fit.octavesError)
        let y = Double(verified.fit.alignment.timeSkew) / Double(strongest.fit.timeSkewError)
        return verified.peakLogLikelihood(chance: strongest.evidence.chanceOfPeak)
            - min(0.5 * (x * x + y * y), settings.largestSkewPenalty)
    }
}

extension VerifiedCandidate {
    var peakLogLikelihood: Double { peakLogLikelihood(chance: evidence.chanceOfPeak) }

    /// The log-likelihood ratio of the matched peaks against a given share matched by chance.
    fileprivate func peakLogLikelihood(chance: Float) -> Double {
        Score.binomialEvidence(
            evidence.matchedPeaks, of: evidence.peaks, chance: min(max(Double(chance), 0.002), 0.999))
    }
}
