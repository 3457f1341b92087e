/// All that is known about a candidate once it has been checked.
struct Verdict: Sendable {
    let candidate: Candidate
    /// The free fit of both skews.
    let fit: LineFit
    /// What kind of skew it is taken for.
    let prior: SkewPrior
    /// The alignment with what that kind says about the skews.
    let alignment: Alignment
    let evidence: Evidence
    /// What it had to show before the spectrogram was looked at.
    let screeningScore: Double
    /// What the spectrogram says, once it was asked.
    var findings: Findings?
    /// The log-odds that follow from all evidence.
    var score: Double?

    /// The order of verdicts: best score first, then reference and time.
    static func precedes(_ a: Verdict, _ b: Verdict) -> Bool {
        let scoreA = a.score ?? -.infinity
        let scoreB = b.score ?? -.infinity
        if scoreA != scoreB { return scoreA > scoreB }
        if a.candidate.reference != b.candidate.reference {
            return a.candidate.reference < b.candidate.reference
        }
        return a.referenceFrameOfQueryStart < b.referenceFrameOfQueryStart
    }

    /// How much too early the place was found, in seconds, as far as a room is likely.
    var latenessSeconds: Double {
        findings.map { Reverberance.latenessSeconds * Reverberance.probability(evidence, $0) } ?? 0
    }

    /// The reference frame heard at the query's first sample.
    var referenceFrameOfQueryStart: Double {
        let u = Double(-candidate.queryFrame)
        return Double(candidate.referenceFrame) + Double(alignment.shift) + (1 + Double(alignment.timeSkew))
            * u
    }
}
