#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Which references are named, in which order, and how sure that is.
struct Decision: Sendable {
    let settings: Settings.Decision
    let threshold: Double

    /// The best verdict of each reference, best reference first.
    ///
    /// Those above the threshold come first. Among them, copies of one recording are told apart by the
    /// evidence of peaks less half the chi-square of the skew, not by the detection score, which
    /// saturates: the copy that needs no skew is the one that was heard. The errors of skew are those of the
    /// contender with most evidence, so that a copy known less well gains nothing by it.
    func rank(_ verdicts: [Verdict]) -> [Verdict] {
        var seen: Set<Int> = []
        var best: [Verdict] = []
        for verdict in verdicts.sorted(by: Verdict.precedes)
        where seen.insert(verdict.candidate.reference).inserted {
            best.append(verdict)
        }
        let accepted = best.filter { $0.score >= threshold }
        if accepted.count > 1, let strongest = accepted.map(\.peakLogLikelihood).max(),
            let judge = accepted.first(where: { $0.peakLogLikelihood == strongest })
        {
            let least = settings.contenderShare * strongest
            let contenders = accepted.filter { $0.peakLogLikelihood >= least }
                .map { (verdict: $0, merit: merit(of: $0, errorsOf: judge.fit)) }
                .sorted {
                    $0.merit != $1.merit ? $0.merit > $1.merit : Verdict.precedes($0.verdict, $1.verdict)
                }
                .map(\.verdict)
            best =
                contenders + accepted.filter { $0.peakLogLikelihood < least } + best.dropFirst(accepted.count)
        }
        return Array(best.prefix(settings.answers))
    }

    private func merit(of verdict: Verdict, errorsOf judge: LineFit) -> Double {
        let x = Double(verdict.fit.alignment.octaves) / Double(judge.octavesError)
        let y = Double(verdict.fit.alignment.timeSkew) / Double(judge.timeSkewError)
        return verdict.peakLogLikelihood - min(0.5 * (x * x + y * y), settings.largestSkewPenalty)
    }

    /// The probability of a match: a logistic curve of the score, `confidenceAtThreshold` at the threshold.
    static func confidence(score: Double, threshold: Double, settings: Settings.Decision) -> Double {
        let atThreshold = log(settings.confidenceAtThreshold / (1 - settings.confidenceAtThreshold))
        return 1 / (1 + exp(-((score - threshold) / settings.scorePerOddsLog + atThreshold)))
    }

    /// A ratio less 1, from octaves.
    static func skew(octaves: Double) -> Double { expm1(octaves * 0.693_147_180_559_945_3) }

    /// Octaves, from a ratio less 1.
    static func octaves(skew: Double) -> Float { Float(log1p(skew) / 0.693_147_180_559_945_3) }

    /// The natural logarithm.
    static func logarithm(_ value: Double) -> Double { log(value) }
}

extension Verdict {
    /// The log-likelihood ratio of the matched peaks against chance.
    var peakLogLikelihood: Double {
        Score.binomialEvidence(
            evidence.matchedPeaks, of: evidence.peaks,
            chance: min(max(Double(evidence.chanceOfPeak), 0.002), 0.999))
    }
}
