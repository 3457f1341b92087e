#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Checks candidates one by one: pairs → coarse fit → line → prior → counts against chance.
struct Verifier: Sendable {
    private let settings: Settings.Verification
    private let query: QueryPeaks
    private let queryFrameCount: Int
    private var pairing = PeakPairing()
    private var coarse = CoarseFit()

    /// Prepares to check a query with the given number of frames.
    init(query: QueryPeaks, queryFrameCount: Int, settings: Settings.Verification) {
        self.query = query
        self.queryFrameCount = queryFrameCount
        self.settings = settings
    }

    /// The frames around a candidate's reference frame whose peaks `check` looks at.
    func span(around candidate: Candidate) -> ClosedRange<Float> {
        let before = Float(candidate.queryFrame)
        let after = Float(queryFrameCount - candidate.queryFrame)
        let margin =
            settings.searchFrames * 2 + 17 + (settings.searchGrowth + 0.06) * max(before, after)
        return (-before - margin)...(after + margin)
    }

    /// Checks a candidate; nil when its peaks support no alignment at all.
    ///
    /// - Parameters:
    ///   - peaks: the reference's peaks, at least those in `span(around:)`.
    ///   - frames: the reference's length in frames.
    mutating func check(
        _ candidate: Candidate, peaks: UnsafeBufferPointer<Peak>, frames: Int, least: Int = 3
    ) -> Verdict? {
        let halfLength = Float(max(candidate.queryFrame, queryFrameCount - candidate.queryFrame))
        pairing.load(peaks, around: candidate, span: span(around: candidate))

        let origin = Alignment(shift: 0, timeSkew: 0, octaves: candidate.octaves)
        pairing.pair(
            query, queryFrame: candidate.queryFrame, origin,
            PairingReach(
                frames: settings.searchFrames, growth: settings.searchGrowth, bins: settings.searchBins,
                octaves: settings.searchOctaves))
        let start = coarse.fit(
            pairing.pairs, reach: settings.searchFrames + settings.searchGrowth * halfLength,
            halfLength: halfLength,
            largestTimeSkew: settings.largestTimeSkew, least: least)
        guard let start,
            let fit = LineFit.fit(
                pairing.pairs, origin: origin, start: start, widths: LineFit.narrowing,
                largestTimeSkew: settings.largestTimeSkew + 0.003)
        else { return nil }
        return judge(candidate, fit, frames: frames)
    }

    /// Fits once more from where a verdict ended, which may bring in peaks that the first fit missed.
    ///
    /// - Returns: the verdict that rests on more pairs, unless that costs score.
    mutating func polish(_ verdict: Verdict, peaks: UnsafeBufferPointer<Peak>, frames: Int) -> Verdict {
        load(peaks, on: verdict)
        pairing.pair(
            query, queryFrame: verdict.candidate.queryFrame, verdict.alignment,
            PairingReach(frames: 4, bins: 1.6))
        let fit = LineFit.fit(
            pairing.pairs, origin: verdict.alignment, start: Alignment(shift: 0, timeSkew: 0, octaves: 0),
            widths: LineFit.polishing, largestTimeSkew: settings.largestTimeSkew)
        guard let fit else { return verdict }
        let polished = judge(verdict.candidate, fit, frames: frames)
        let isBetter =
            fit.support > verdict.fit.support && polished.screeningScore > verdict.screeningScore - 2
        return isBetter || polished.screeningScore > verdict.screeningScore ? polished : verdict
    }

    /// Counts and scores what a fit comes to; the reference's peaks are loaded.
    private mutating func judge(_ candidate: Candidate, _ fit: LineFit, frames: Int) -> Verdict {
        let prior = SkewPrior(fit, settings: settings)
        let timeSkew = Float(expm1(prior.stretchOctaves * 0.693_147_180_56))
        let alignment = Alignment(
            shift: fit.alignment.shift + (fit.alignment.timeSkew - timeSkew) * fit.pivot, timeSkew: timeSkew,
            octaves: Float(prior.octaves))
        pairing.pair(
            query, queryFrame: candidate.queryFrame, alignment,
            PairingReach(frames: ChanceControl.reach(settings), bins: settings.boxBins))
        let evidence = ChanceControl.count(
            pairing.pairs, query: query, queryFrame: candidate.queryFrame, alignment,
            span: Float(-candidate.referenceFrame)...Float(frames - candidate.referenceFrame),
            settings: settings)
        return Verdict(
            candidate: candidate, fit: fit, prior: prior, alignment: alignment, evidence: evidence,
            screeningScore: Score.screening(evidence, prior: prior, settings: settings))
    }

    /// The frames around a candidate's reference frame that the query lies on, and the shifts of the controls.
    ///
    /// `polish` and `contrast` look at the peaks there.
    func span(on verdict: Verdict) -> ClosedRange<Float> {
        let before = Float(verdict.candidate.queryFrame)
        let after = Float(queryFrameCount - verdict.candidate.queryFrame)
        let slope = 1 + abs(verdict.alignment.timeSkew) + 0.01
        return
            (verdict.alignment.shift - slope * before - 24)...(verdict.alignment.shift + slope * after + 24)
    }

    private mutating func load(_ peaks: UnsafeBufferPointer<Peak>, on verdict: Verdict) {
        pairing.load(peaks, around: verdict.candidate, span: span(on: verdict))
    }

    /// Asks the spectrogram and all peaks of the query about a verdict.
    ///
    /// - Parameters:
    ///   - wide: the query's peaks of all ranks.
    ///   - prominent: the strongest of the query's peaks that are paired.
    mutating func findings(
        of verdict: Verdict, in spectrum: SpectralContrast, wide: QueryPeaks, prominent: ProminentPeaks,
        peaks: UnsafeBufferPointer<Peak>
    ) -> Findings {
        load(peaks, on: verdict)
        let queryFrame = verdict.candidate.queryFrame
        let (contrast, recovery) = pairing.withReferencePeaks { frames, octaves in
            let contrast = spectrum.contrast(
                frames: frames, octaves: octaves, queryFrame: queryFrame, verdict.alignment)
            let recovery = Recovery(
                frames: frames, bins: { exp2f(octaves[$0] + verdict.alignment.octaves) }, query: wide,
                queryFrame: queryFrame, queryFrameCount: queryFrameCount, verdict.alignment,
                settings: settings)
            return (contrast, recovery)
        }
        pairing.pair(
            query, queryFrame: queryFrame, verdict.alignment,
            PairingReach(frames: settings.boxFrames, bins: settings.boxBins))
        return Findings(
            contrast: contrast, recovery: recovery, explanation: prominent.explained(by: pairing.pairs))
    }

    /// The pairs within the box of a known alignment of the query's first frame, and up to `margin` frames beside it.
    mutating func pairs(
        at alignment: Alignment, of candidate: Candidate, peaks: UnsafeBufferPointer<Peak>, margin: Float = 0
    ) -> [PeakPair] {
        let after = Float(queryFrameCount) * (1 + abs(alignment.timeSkew)) + 2
        pairing.load(peaks, around: candidate, span: (-2 - margin)...(after + margin))
        pairing.pair(
            query, queryFrame: candidate.queryFrame, alignment,
            PairingReach(frames: settings.boxFrames + margin, bins: settings.boxBins))
        return pairing.pairs
    }
}
