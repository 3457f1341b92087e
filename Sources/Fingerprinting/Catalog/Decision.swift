#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Which references are named, in which order, and how sure that is.
struct Decision: Sendable {
    let settings: Settings.Decision

    /// A reference at its best place, and the other places that score nearly as much.
    struct Answer {
        let verdict: Verdict
        let alternatives: [Verdict]
    }

    /// The best verdict of each reference, best reference first.
    ///
    /// Those above the threshold come first. Among them, copies of one recording are told apart by the
    /// evidence of peaks less half the chi-square of the skew, not by the detection score, which
    /// saturates: the copy that needs no skew is the one that was heard. The errors of skew and the
    /// chance of a match are those of the contender with most evidence, so that a copy known less well gains
    /// nothing by it.
    func rank(_ verdicts: [Verdict]) -> [Answer] {
        let sorted = verdicts.sorted(by: Verdict.precedes)
        var seen: Set<Int> = []
        var best = sorted.filter { seen.insert($0.candidate.reference).inserted }
        let accepted = best.filter { ($0.score ?? -.infinity) >= settings.threshold }
        if accepted.count > 1, let strongest = accepted.map(\.peakLogLikelihood).max(),
            let judge = accepted.first(where: { $0.peakLogLikelihood == strongest })
        {
            let least = settings.contenderShare * strongest
            let contenders = accepted.filter { $0.peakLogLikelihood >= least }
                .map { (verdict: $0, merit: merit(of: $0, judge: judge)) }
                .sorted {
                    $0.merit != $1.merit ? $0.merit > $1.merit : Verdict.precedes($0.verdict, $1.verdict)
                }
                .map(\.verdict)
            best =
                contenders + accepted.filter { $0.peakLogLikelihood < least } + best.dropFirst(accepted.count)
        }
        return best.prefix(settings.answers).map { verdict in
            Answer(verdict: verdict, alternatives: alternatives(to: verdict, among: sorted))
        }
    }

    private func alternatives(to best: Verdict, among sorted: [Verdict]) -> [Verdict] {
        guard let score = best.score else { return [] }
        return sorted.filter {
            $0.candidate.reference == best.candidate.reference
                && abs($0.referenceFrameOfQueryStart - best.referenceFrameOfQueryStart) >= 8
                && ($0.score ?? -.infinity) >= score
                    - max(settings.alternativeMargin, settings.alternativeShare * score)
        }
    }

    private func merit(of verdict: Verdict, judge: Verdict) -> Double {
        let x = Double(verdict.fit.alignment.octaves) / Double(judge.fit.octavesError)
        let y = Double(verdict.fit.alignment.timeSkew) / Double(judge.fit.timeSkewError)
        return verdict.peakLogLikelihood(chance: judge.evidence.chanceOfPeak)
            - min(0.5 * (x * x + y * y), settings.largestSkewPenalty)
    }

    /// The probability whose log-odds are `score`.
    static func confidence(score: Double) -> Double { 1 / (1 + exp(-score)) }

    /// A ratio less 1, from octaves.
    static func skew(octaves: Double) -> Double { expm1(octaves * 0.693_147_180_559_945_3) }

    /// Octaves, from a ratio less 1.
    static func octaves(skew: Double) -> Float { Float(log1p(skew) / 0.693_147_180_559_945_3) }

    /// The natural logarithm.
    static func logarithm(_ value: Double) -> Double { log(value) }
}

extension Verdict {
    /// The log-likelihood ratio of the matched peaks against chance.
    var peakLogLikelihood: Double { peakLogLikelihood(chance: evidence.chanceOfPeak) }

    /// The log-likelihood ratio of the matched peaks against a given share matched by chance.
    func peakLogLikelihood(chance: Float) -> Double {
        Score.binomialEvidence(
            evidence.matchedPeaks, of: evidence.peaks, chance: min(max(Double(chance), 0.002), 0.999))
    }
}
