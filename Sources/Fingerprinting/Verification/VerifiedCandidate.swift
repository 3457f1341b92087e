/// A candidate with its fit, evidence and score.
struct VerifiedCandidate: Sendable {
    let candidate: Candidate
    /// The free fit of both skews.
    let fit: LineFit
    /// The prior applied to the fit.
    let prior: SkewPrior
    /// The alignment with the skews of the chosen kind.
    let alignment: Alignment
    let evidence: Evidence
    /// The score without the spectrogram.
    let screeningScore: Double
    /// The measurements on the spectrogram, for the best candidates.
    var findings: Findings?
    /// The log-odds of a match from all evidence, for the best candidates.
    var score: Double?

    /// Best score first, then by reference and time.
    static func precedes(_ a: VerifiedCandidate, _ b: VerifiedCandidate) -> Bool {
        let scoreA = a.score ?? -.infinity
        let scoreB = b.score ?? -.infinity
        if scoreA != scoreB { return scoreA > scoreB }
        if a.candidate.reference != b.candidate.reference {
            return a.candidate.reference < b.candidate.reference
        }
        return a.referenceFrameOfQueryStart < b.referenceFrameOfQueryStart
    }

    /// The expected delay of energy in a room, in seconds.
    var reverberationDelaySeconds: Double {
        findings.map { Reverberance.delaySeconds * Reverberance.probability(evidence, $0) } ?? 0
    }

    /// The reference frame at the query's first sample.
    var referenceFrameOfQueryStart: Double {
        let u = Double(-candidate.queryFrame)
        return Double(candidate.referenceFrame) + Double(alignment.shift) + (1 + Double(alignment.timeSkew))
            * u
    }
}
