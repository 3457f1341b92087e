import Glibc

/// Measurements of a candidate on the spectrogram and on all peaks of the query; lists are in order of `BandSet.all`.
struct Findings: Sendable {
    var contrasts: [Contrast]
    var recovery: Recovery
    var explanations: [Explanation]
    /// That of all bands.
    var misfit: Misfit
    /// `Sidelobes.lead` of all bands; nil until it is measured, and where it cannot be.
    var lead: Double?
}

/// The features of a candidate in a set of bands; `Settings.Weights` describes each.
struct Features: Sendable {
    var skew: Double
    var timeGain: Double
    var frequencyGain: Double
    var slowGain: Double
    var meanHeight: Double
    var explainedShare: Double
    var unexplainedHeight: Double
    /// Matched peaks times how concentrated they are about their prediction.
    var concentration: Double
    var slotEvidence: Double
    var peakEvidence: Double
    var misfit: Misfit
    var lead: Double?

    init(_ verified: VerifiedCandidate, _ findings: Findings, bandSet: Int, settings: Settings.Verification) {
        let evidence = verified.evidenceOfSets[bandSet]
        skew = verified.prior.logOdds
        timeGain = findings.contrasts[bandSet].timeGain
        frequencyGain = findings.contrasts[bandSet].frequencyGain
        slowGain = findings.contrasts[bandSet].slowGain
        meanHeight = Double(findings.contrasts[bandSet].mean)
        explainedShare = findings.explanations[bandSet].share
        unexplainedHeight = findings.explanations[bandSet].unexplainedHeight
        concentration = Score.concentrated(evidence, settings: settings)
        slotEvidence = Score.slotEvidence(evidence).squareRoot()
        peakEvidence = Score.peakEvidence(evidence).squareRoot()
        misfit = findings.misfit
        lead = findings.lead
    }

    /// What the log-odds lose because strong peaks agree only as those of another rendition do: 0 or less.
    func otherSound(_ weights: Settings.Weights) -> Double {
        let peaks = Double(misfit.peaks)
        let share = weights.misfitOfLeadShare(peaks) * weights.misfitOfLead(misfit.logarithm)
        return weights.misfitShare(peaks) * weights.misfit(misfit.logarithm)
            - share * max(standout(weights), 0)
    }

    /// What the lead adds to the log-odds.
    private func standout(_ weights: Settings.Weights) -> Double {
        lead.map { weights.noLead + weights.lead($0) } ?? 0
    }

    /// The log-odds of a match, in a catalog of `Settings.Decision.calibrationHours`.
    func logOdds(_ weights: Settings.Weights) -> Double { parts(weights).reduce(0) { $0 + $1.amount } }

    /// What each kind of evidence adds to the log-odds.
    func parts(_ weights: Settings.Weights) -> [(name: String, amount: Double)] {
        let (noise, clear) = (weights.noiseHeight, weights.clearHeight)
        let noisiness = min(max((clear - unexplainedHeight) / (clear - noise), 0), 1)
        return [
            ("starting point", weights.constant),
            ("kind of skew", weights.skew(skew)),
            (
                "energy gained at the reference’s peaks over other times",
                noisiness * weights.timeGain(timeGain)
            ),
            ("energy gained there over other frequencies", noisiness * weights.frequencyGain(frequencyGain)),
            ("smoothed energy gained there over times further away", weights.slowGain(slowGain)),
            (
                "mean energy there",
                weights.meanHeight(meanHeight) + (1 - noisiness) * weights.clearMeanHeight(meanHeight)
            ),
            ("share of prominent peaks that it explains", weights.explainedShare(explainedShare)),
            ("height of the other prominent peaks", weights.unexplainedHeight(unexplainedHeight)),
            ("how closely matched peaks agree", weights.concentration(concentration)),
            ("moments that match", weights.slotEvidence(slotEvidence)),
            ("peaks that match", weights.peakEvidence(peakEvidence)),
            ("distances of strong peaks in time, frequency and level", otherSound(weights)),
            ("how far the place stands out from those beside it", standout(weights)),
        ]
    }
}

extension VerifiedCandidate {
    /// Scores the candidate by its findings, in the set of bands that gives the best score.
    ///
    /// - Parameter sizeLogOdds: What the size of the catalog takes from the score.
    mutating func complete(_ findings: Findings, sizeLogOdds: Double, settings: Settings) {
        self.findings = findings
        (score, musicScore) = (nil, -.infinity)
        for bandSet in BandSet.all.indices {
            let features = Features(self, findings, bandSet: bandSet, settings: settings.verification)
            let score = features.logOdds(settings.weights) - sizeLogOdds
            musicScore = max(musicScore, score - features.otherSound(settings.weights))
            guard score > self.score ?? -.infinity else { continue }
            self.score = score
            self.bandSet = bandSet
        }
    }
}
