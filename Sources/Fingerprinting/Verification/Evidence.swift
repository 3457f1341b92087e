import Glibc

/// The evidence that only the best candidates are measured for: on the spectrogram and on all peaks of the query.
///
/// Lists are in order of `BandSet.all`.
struct FullEvidence: Sendable {
    var contrasts: [Contrast]
    var recovery: Recovery
    var explanations: [Explanation]
    /// That of all bands.
    var misfit: Misfit
    /// `Sidelobes.lead` of all bands; nil until it is measured, and where it cannot be.
    var lead: Double?
    /// The base-2 logarithm of the seconds of the query that are within the reference.
    let lengthOctaves: Double
}

/// All evidence for a candidate in a set of bands, which `Settings.Weights` weighs.
struct Evidence {
    let peaks: PeakEvidence
    let prior: SkewPrior
    let contrast: Contrast
    let explanation: Explanation
    let misfit: Misfit
    let lead: Double?
    let lengthOctaves: Double

    init(for verified: VerifiedCandidate, _ full: FullEvidence, bandSet: Int) {
        peaks = verified.evidenceOfSets[bandSet]
        prior = verified.prior
        contrast = full.contrasts[bandSet]
        explanation = full.explanations[bandSet]
        misfit = full.misfit
        lead = full.lead
        lengthOctaves = full.lengthOctaves
    }

    /// What the log-odds lose because strong peaks agree only as those of another rendition do: 0 or less.
    func otherSound(_ weights: Settings.Weights) -> Double {
        weights.misfitShare(Double(misfit.peaks)) * weights.misfit(misfit.logarithm)
    }

    /// The log-odds of a match, in a catalog of `Settings.Decision.calibrationHours`.
    func logOdds(_ settings: Settings) -> Double { parts(settings).reduce(0) { $0 + $1.amount } }

    /// What each kind of evidence adds to the log-odds.
    func parts(_ settings: Settings) -> [(name: String, amount: Double)] {
        let weights = settings.weights
        return [
            ("starting point", weights.constant),
            ("kind of skew", weights.skew(prior.logOdds)),
            (
                "height at the reference’s peaks in clear audio",
                weights.meanHeightShare(explanation.unexplainedHeight)
                    * weights.meanHeight(Double(contrast.mean))
            ),
            (
                "the same over other frequencies",
                weights.frequencyGain(contrast.frequencyGain)
            ),
            (
                "share of prominent peaks that the reference explains",
                weights.explainedShare(explanation.share)
            ),
            ("height of the other prominent peaks", weights.unexplainedHeight(explanation.unexplainedHeight)),
            (
                "how closely matched peaks agree",
                weights.concentration(peaks.concentration(settings.verification))
            ),
            ("peaks that match", weights.peakEvidence(peaks.ofPeaks.squareRoot())),
            ("distances of strong peaks in time, frequency and level", otherSound(weights)),
            (
                "lead over places beside it",
                lead.map { weights.leadShare(lengthOctaves) * weights.lead($0) } ?? 0
            ),
            ("length of the query", weights.length(lengthOctaves)),
        ]
    }
}

extension VerifiedCandidate {
    /// Scores the candidate by all evidence, in the set of bands that gives the best score.
    ///
    /// - Parameter sizeLogOdds: What the size of the catalog takes from the score.
    mutating func complete(_ full: FullEvidence, sizeLogOdds: Double, settings: Settings) {
        fullEvidence = full
        (score, musicScore) = (nil, -.infinity)
        for bandSet in BandSet.all.indices {
            let evidence = Evidence(for: self, full, bandSet: bandSet)
            let score = evidence.logOdds(settings) - sizeLogOdds
            musicScore = max(musicScore, score - evidence.otherSound(settings.weights))
            guard score > self.score ?? -.infinity else { continue }
            self.score = score
            self.bandSet = bandSet
        }
    }
}

/// The evidence of peaks as log-likelihood ratios, each bounded.
extension PeakEvidence {
    /// The log-likelihood ratio of `k` successes in `n` trials against chance `p`; 0 at or below chance.
    private static func binomial(_ k: Int, of n: Int, chance p: Double) -> Double {
        guard n > 0, k > 0, p > 0, p < 1 else { return 0 }
        let rate = Double(k) / Double(n)
        guard rate > p else { return 0 }
        let hits = Double(k) * log(rate / p)
        // Rounding may make it negative where the rate is nearly that of chance.
        return k == n ? hits : max(0, hits + Double(n - k) * log((1 - rate) / (1 - p)))
    }

    /// The log-likelihood ratio of matched peaks against those matched by chance.
    static func logLikelihood(_ matchedPeaks: Int, of peaks: Int, chance: Float) -> Double {
        binomial(matchedPeaks, of: peaks, chance: min(max(Double(chance), 0.002), 0.999))
    }

    var peakLogLikelihood: Double { Self.logLikelihood(matchedPeaks, of: peaks, chance: chanceOfPeak) }

    /// The evidence of matched peaks, divided by their dispersion.
    var ofPeaks: Double { peakLogLikelihood / max(1, Double(dispersion)) }

    var ofSlots: Double {
        Self.binomial(matchedSlots, of: slots, chance: min(max(Double(chanceOfSlot), 0.04), 0.999))
    }

    /// Matched peaks times how concentrated they are about their prediction; at most one and a half peaks for each slot
    /// of time, because chords count once.
    ///
    /// Chance matches are anywhere in the box, true ones near its middle. How much better one residual fits a narrow
    /// Gaussian than the whole box is −1.5 … 1, in frames and bins of its band.
    func concentration(_ settings: Settings.Verification) -> Double {
        let frames = Double(settings.boxFrames)
        let bins = Double(settings.boxBins)
        let sigmaFrames = frames / 2
        let sigmaBins = 0.3
        let root = (2 * Double.pi).squareRoot()
        let inTime =
            log(2 * frames / (sigmaFrames * root))
            - Double(meanSquareFrames) / (2 * sigmaFrames * sigmaFrames)
        let inFrequency =
            log(2 * bins / (sigmaBins * root)) - Double(meanSquareBins) / (2 * sigmaBins * sigmaBins)
        return min(Double(matchedPeaks), 1.5 * Double(matchedSlots)) * min(max(inTime + inFrequency, -1.5), 1)
    }

    /// A score without the spectrogram, only to rank candidates for the full score, and the set of bands that gives it.
    static func screening(
        _ evidence: [PeakEvidence], prior: SkewPrior, settings: Settings.Verification
    ) -> (score: Double, bandSet: Int) {
        var best = (score: -Double.infinity, bandSet: 0)
        for (bandSet, evidence) in evidence.enumerated() {
            let score =
                evidence.ofSlots + 0.3 * evidence.ofPeaks + 1.5 * prior.logOdds
                + 0.5 * evidence.concentration(settings)
            if score > best.score { best = (score, bandSet) }
        }
        return best
    }
}
