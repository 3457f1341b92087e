import Glibc

/// A possible match: a reference, a place in it and a frequency skew.
struct Candidate: Sendable {
    let reference: Int
    /// The frame of the reference at `queryFrame`.
    let referenceFrame: Int
    /// The query frame that times count from: the middle of the part that voted.
    let queryFrame: Int
    let octaves: Float
    let votes: Int
}

/// The map from query to reference: a straight line in time, a shift in octaves.
///
/// Query frame `queryFrame` + u is at reference frame `referenceFrame` + shift + (1 + timeSkew)·u.
struct Alignment: Hashable, Sendable {
    /// The reference frame at u = 0 less the candidate's.
    var shift: Float
    /// Reference frames per query frame, less 1.
    var timeSkew: Float
    /// log2 of query frequency over reference frequency.
    var octaves: Float
}

/// A candidate with the line through its pairs of near peaks.
struct FittedCandidate: Sendable {
    let candidate: Candidate
    /// The free fit of both skews.
    let fit: LineFit
    let prior: SkewPrior
    /// The alignment with the skews of the chosen kind.
    let alignment: Alignment

    init(candidate: Candidate, fit: LineFit, prior: SkewPrior) {
        self.candidate = candidate
        self.fit = fit
        self.prior = prior
        let timeSkew = Float(expm1(prior.stretchOctaves * NaturalLogarithmOf2.elevenDigits))
        alignment = Alignment(
            shift: fit.alignment.shift + (fit.alignment.timeSkew - timeSkew) * fit.pivot, timeSkew: timeSkew,
            octaves: Float(prior.octaves))
    }

    /// How many pairs support the line, less what a skew costs: tells which candidates to screen.
    var support: Double { Double(fit.support) + prior.logOdds }
}

struct VerifiedCandidate: Sendable {
    let fitted: FittedCandidate
    /// The evidence of peaks in each of `BandSet.all`.
    let evidenceOfSets: [PeakEvidence]
    /// The index in `BandSet.all` of the bands that count: those with the best score.
    var bandSet: Int
    let screeningScore: Double
    /// Nil except for the best candidates.
    var fullEvidence: FullEvidence?
    /// The log-odds of a match from all evidence, for the best candidates.
    var score: Double?
    /// The same without what other sounds take from it, in the bands where that is largest.
    var musicScore = -Double.infinity

    var candidate: Candidate { fitted.candidate }
    var fit: LineFit { fitted.fit }
    var prior: SkewPrior { fitted.prior }
    var alignment: Alignment { fitted.alignment }

    /// The evidence of peaks in the bands that count.
    var evidence: PeakEvidence { evidenceOfSets[bandSet] }

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
        fullEvidence.map { Reverberance.delaySeconds * Reverberance.probability(evidenceOfSets[0], $0) } ?? 0
    }

    /// The reference frame at the query's first sample.
    var referenceFrameOfQueryStart: Double {
        let u = Double(-candidate.queryFrame)
        return Double(candidate.referenceFrame) + Double(alignment.shift) + (1 + Double(alignment.timeSkew))
            * u
    }
}
