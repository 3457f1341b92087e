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
    /// The part of the score without the spectrogram's.
    let baseScore: Double
    /// The contrast in the query's spectrogram, once it was looked at.
    var contrast: Float?

    /// The detection score.
    var score: Double { baseScore + Score.ofContrast(contrast ?? 0) }

    /// The order of verdicts: best score first, then reference and time.
    static func precedes(_ a: Verdict, _ b: Verdict) -> Bool {
        if a.score != b.score { return a.score > b.score }
        if a.candidate.reference != b.candidate.reference {
            return a.candidate.reference < b.candidate.reference
        }
        return a.referenceFrameOfQueryStart < b.referenceFrameOfQueryStart
    }

    /// The reference frame heard at the query's first sample.
    var referenceFrameOfQueryStart: Double {
        let u = Double(-candidate.queryFrame)
        return Double(candidate.referenceFrame) + Double(alignment.shift) + (1 + Double(alignment.timeSkew))
            * u
    }
}
