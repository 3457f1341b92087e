import Glibc

/// Verifies candidates one by one: pairs → coarse fit → line → prior → counts against chance.
struct Verifier: Sendable {
    private let settings: Settings.Verification
    private let query: QueryPeaks
    private let queryFrameCount: Int
    /// The frames that a check looks at on either side of the part that voted: 10 s.
    ///
    /// So it costs the same however long the query is.
    private static let checkedFrames = 320
    private var pairing = PeakPairing()
    private var coarse = CoarseFit()

    init(query: QueryPeaks, queryFrameCount: Int, settings: Settings.Verification) {
        self.query = query
        self.queryFrameCount = queryFrameCount
        self.settings = settings
    }

    /// The frames around a candidate's reference frame from which `check` needs peaks.
    func span(around candidate: Candidate) -> ClosedRange<Float> {
        let before = Float(min(candidate.queryFrame, Self.checkedFrames))
        let after = Float(min(queryFrameCount - candidate.queryFrame, Self.checkedFrames))
        let margin = settings.searchFrames * 2 + 36 + (settings.searchGrowth + 0.06) * max(before, after)
        return (-before - margin)...(after + margin)
    }

    /// Verifies a candidate; nil when its peaks support no alignment.
    ///
    /// - Parameters:
    ///   - peaks: The reference's peaks, at least those in `span(around:)`.
    ///   - frames: The reference's length in frames.
    mutating func check(
        _ candidate: Candidate, peaks: UnsafeBufferPointer<Peak>, frames: Int, least: Int = 3
    ) -> VerifiedCandidate? {
        let halfLength = Float(
            min(max(candidate.queryFrame, queryFrameCount - candidate.queryFrame), Self.checkedFrames))
        let part = query.indices(
            from: candidate.queryFrame - Self.checkedFrames, to: candidate.queryFrame + Self.checkedFrames)
        pairing.load(peaks, around: candidate, span: span(around: candidate))

        let origin = Alignment(shift: 0, timeSkew: 0, octaves: candidate.octaves)
        pairing.pair(
            query, part, queryFrame: candidate.queryFrame, origin,
            PairingReach(
                frames: settings.searchFrames, growth: settings.searchGrowth, bins: settings.searchBins,
                octaves: settings.searchOctaves))
        let start = coarse.fit(
            pairing.pairs, reach: settings.searchFrames + settings.searchGrowth * halfLength,
            halfLength: halfLength, largestTimeSkew: settings.largestTimeSkew, least: least)
        guard let start,
            let fit = LineFit.fit(
                pairing.pairs, origin: origin, start: start, widths: LineFit.narrowing,
                largestTimeSkew: settings.largestTimeSkew + 0.003)
        else { return nil }
        return evaluate(candidate, fit, part, frames: frames)
    }

    /// Fits the whole query again from the last alignment, to include peaks that the first fit missed.
    ///
    /// - Returns: The new fit if it has more pairs or a better score, or else the old one.
    mutating func refine(_ verified: VerifiedCandidate, peaks: UnsafeBufferPointer<Peak>, frames: Int)
        -> VerifiedCandidate
    {
        load(peaks, on: verified)
        pairing.pair(
            query, queryFrame: verified.candidate.queryFrame, verified.alignment,
            PairingReach(bandFrames: 4, bins: 1.6))
        let fit = LineFit.fit(
            pairing.pairs, origin: verified.alignment, start: Alignment(shift: 0, timeSkew: 0, octaves: 0),
            widths: LineFit.refining, largestTimeSkew: settings.largestTimeSkew)
        guard let fit else { return verified }
        let refined = evaluate(verified.candidate, fit, 0..<query.count, frames: frames)
        let isBetter =
            fit.support > verified.fit.support && refined.screeningScore > verified.screeningScore - 2
        return isBetter || refined.screeningScore > verified.screeningScore ? refined : verified
    }

    /// Counts and scores a fit; needs the reference's peaks loaded.
    ///
    /// - Parameter part: The indices of the query peaks that count.
    private mutating func evaluate(
        _ candidate: Candidate, _ fit: LineFit, _ part: Range<Int>, frames: Int
    ) -> VerifiedCandidate {
        let prior = SkewPrior(fit, settings: settings)
        let timeSkew = Float(expm1(prior.stretchOctaves * NaturalLogarithmOf2.elevenDigits))
        let alignment = Alignment(
            shift: fit.alignment.shift + (fit.alignment.timeSkew - timeSkew) * fit.pivot, timeSkew: timeSkew,
            octaves: Float(prior.octaves))
        pairing.pair(
            query, part, queryFrame: candidate.queryFrame, alignment,
            PairingReach(bandFrames: ChanceControl.reach(settings), bins: settings.boxBins))
        let evidence = ChanceControl.count(
            pairing.pairs, query: query, part, queryFrame: candidate.queryFrame, alignment,
            span: Float(-candidate.referenceFrame)...Float(frames - candidate.referenceFrame),
            settings: settings)
        let screening = Score.screening(evidence, prior: prior, settings: settings)
        return VerifiedCandidate(
            candidate: candidate, fit: fit, prior: prior, alignment: alignment, evidenceOfSets: evidence,
            bandSet: screening.bandSet, screeningScore: screening.score)
    }

    /// The frames around a candidate's reference frame from which `refine` and `findings` need peaks.
    ///
    /// They include the shifts of the controls.
    func span(on verified: VerifiedCandidate) -> ClosedRange<Float> {
        let before = Float(verified.candidate.queryFrame)
        let after = Float(queryFrameCount - verified.candidate.queryFrame)
        let slope = 1 + abs(verified.alignment.timeSkew) + 0.01
        return
            (verified.alignment.shift - slope * before - 40)...(verified.alignment.shift + slope * after + 40)
    }

    private mutating func load(_ peaks: UnsafeBufferPointer<Peak>, on verified: VerifiedCandidate) {
        pairing.load(peaks, around: verified.candidate, span: span(on: verified))
    }

    /// Measures a candidate on the spectrogram and on all peaks of the query.
    ///
    /// - Parameters:
    ///   - spectra: The query's spectrogram in each band.
    ///   - wide: The query's peaks of the middle band, of all ranks.
    ///   - prominent: The strongest of the query's paired peaks.
    mutating func findings(
        of verified: VerifiedCandidate, in spectra: [SpectralContrast], wide: QueryPeaks,
        prominent: ProminentPeaks, peaks: UnsafeBufferPointer<Peak>
    ) -> Findings {
        load(peaks, on: verified)
        let queryFrame = verified.candidate.queryFrame
        let (contrasts, recovery) = pairing.withReferencePeaks { frames, octaves in
            let contrasts = spectra.map {
                $0.contrast(frames: frames, octaves: octaves, queryFrame: queryFrame, verified.alignment)
            }
            let recovery = Recovery(
                frames: frames, octaves: octaves, query: wide, queryFrame: queryFrame,
                queryFrameCount: queryFrameCount, verified.alignment, settings: settings)
            return (contrasts, recovery)
        }
        pairing.pair(
            query, queryFrame: queryFrame, verified.alignment,
            PairingReach(bandFrames: settings.boxFrames, bins: settings.boxBins))
        return Findings(
            contrasts: BandSet.all.map { set in
                Contrast(of: contrasts.indices.filter(set.contains).map { contrasts[$0] })
            }, recovery: recovery, explanations: prominent.explained(by: pairing.pairs))
    }

    /// The pairs within the box of an alignment of the query's first frame, and up to `margin` frames beside it.
    mutating func pairs(
        at alignment: Alignment, of candidate: Candidate, peaks: UnsafeBufferPointer<Peak>, margin: Float = 0
    ) -> [PeakPair] {
        let after = Float(queryFrameCount) * (1 + abs(alignment.timeSkew)) + 2
        pairing.load(peaks, around: candidate, span: (-3 - margin)...(after + 1 + margin))
        pairing.pair(
            query, queryFrame: candidate.queryFrame, alignment,
            PairingReach(bandFrames: settings.boxFrames, frames: margin, bins: settings.boxBins))
        return pairing.pairs
    }
}
