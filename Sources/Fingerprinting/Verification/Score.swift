import Glibc

/// The terms of a candidate's score: log-likelihood ratios, each bounded.
enum Score {
    /// The log-likelihood ratio of `k` successes in `n` trials against chance `p`; 0 at or below chance.
    static func binomialEvidence(_ k: Int, of n: Int, chance p: Double) -> Double {
        guard n > 0, k > 0, p > 0, p < 1 else { return 0 }
        let rate = Double(k) / Double(n)
        guard rate > p else { return 0 }
        let hits = Double(k) * log(rate / p)
        // Rounding may make it negative where the rate is nearly that of chance.
        return k == n ? hits : max(0, hits + Double(n - k) * log((1 - rate) / (1 - p)))
    }

    /// The evidence of matched peaks, divided by their dispersion.
    package static func peakEvidence(_ evidence: Evidence) -> Double {
        binomialEvidence(
            evidence.matchedPeaks, of: evidence.peaks,
            chance: min(max(Double(evidence.chanceOfPeak), 0.002), 0.999))
            / max(1, Double(evidence.dispersion))
    }

    static func slotEvidence(_ evidence: Evidence) -> Double {
        binomialEvidence(
            evidence.matchedSlots, of: evidence.slots,
            chance: min(max(Double(evidence.chanceOfSlot), 0.04), 0.999))
    }

    /// How much better one residual fits a narrow Gaussian than the whole box, −1.5 … 1, in frames and bins of its band.
    ///
    /// Chance matches are anywhere in the box, true ones near its middle.
    static func concentration(_ evidence: Evidence, settings: Settings.Verification) -> Double {
        let frames = Double(settings.boxFrames)
        let bins = Double(settings.boxBins)
        let sigmaFrames = frames / 2
        let sigmaBins = 0.3
        let root = (2 * Double.pi).squareRoot()
        let inTime =
            log(2 * frames / (sigmaFrames * root))
            - Double(evidence.meanSquareFrames) / (2 * sigmaFrames * sigmaFrames)
        let inFrequency =
            log(2 * bins / (sigmaBins * root)) - Double(evidence.meanSquareBins) / (2 * sigmaBins * sigmaBins)
        return min(max(inTime + inFrequency, -1.5), 1)
    }

    /// A score without the spectrogram, only to rank candidates for the full score, and the set of bands that gives it.
    static func screening(
        _ evidence: [Evidence], prior: SkewPrior, settings: Settings.Verification
    ) -> (score: Double, bandSet: Int) {
        var best = (score: -Double.infinity, bandSet: 0)
        for (bandSet, evidence) in evidence.enumerated() {
            let score =
                slotEvidence(evidence) + 0.3 * peakEvidence(evidence) + 1.5 * prior.logOdds
                + 0.5 * concentrated(evidence, settings: settings)
            if score > best.score { best = (score, bandSet) }
        }
        return best
    }

    /// Matched peaks, at most one and a half for each slot of time: chords count once.
    private static func concentratedPeaks(_ evidence: Evidence) -> Double {
        min(Double(evidence.matchedPeaks), 1.5 * Double(evidence.matchedSlots))
    }

    /// Matched peaks times how concentrated they are about their prediction.
    static func concentrated(_ evidence: Evidence, settings: Settings.Verification) -> Double {
        concentratedPeaks(evidence) * concentration(evidence, settings: settings)
    }
}
