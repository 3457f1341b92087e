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

    /// Checks a candidate; nil when its peaks support no alignment at all.
    ///
    /// - Parameters:
    ///   - peaks: the reference's peaks.
    ///   - frames: the reference's length in frames.
    mutating func check(
        _ candidate: Candidate, peaks: UnsafeBufferPointer<Peak>, frames: Int, least: Int = 3
    ) -> Verdict? {
        let before = Float(candidate.queryFrame)
        let after = Float(queryFrameCount - candidate.queryFrame)
        let halfLength = max(before, after)
        let margin = settings.searchFrames * 2 + 17 + (settings.searchGrowth + 0.06) * halfLength
        pairing.load(peaks, around: candidate, span: (-before - margin)...(after + margin))

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
        let isBetter = fit.support > verdict.fit.support && polished.baseScore > verdict.baseScore - 2
        return isBetter || polished.baseScore > verdict.baseScore ? polished : verdict
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
            baseScore: Score.withoutContrast(evidence, prior: prior, settings: settings))
    }

    /// Fetches the reference's peaks that the query lies on, and those within the shifts of the controls.
    private mutating func load(_ peaks: UnsafeBufferPointer<Peak>, on verdict: Verdict) {
        let before = Float(verdict.candidate.queryFrame)
        let after = Float(queryFrameCount - verdict.candidate.queryFrame)
        let slope = 1 + abs(verdict.alignment.timeSkew) + 0.01
        let low = verdict.alignment.shift - slope * before - 24
        let high = verdict.alignment.shift + slope * after + 24
        pairing.load(peaks, around: verdict.candidate, span: low...high)
    }

    /// Looks up the contrast of a verdict in the query's spectrogram.
    mutating func contrast(
        of verdict: Verdict, in spectrum: SpectralContrast, peaks: UnsafeBufferPointer<Peak>
    ) -> Float {
        load(peaks, on: verdict)
        return pairing.withReferencePeaks { frames, octaves in
            spectrum.contrast(
                frames: frames, octaves: octaves, queryFrame: verdict.candidate.queryFrame, verdict.alignment)
        }
    }

    /// The pairs within the box of a known alignment of the query's first frame.
    mutating func pairs(
        at alignment: Alignment, of candidate: Candidate, peaks: UnsafeBufferPointer<Peak>
    ) -> [PeakPair] {
        let after = Float(queryFrameCount) * (1 + abs(alignment.timeSkew)) + 2
        pairing.load(peaks, around: candidate, span: -2...after)
        pairing.pair(
            query, queryFrame: candidate.queryFrame, alignment,
            PairingReach(frames: settings.boxFrames, bins: settings.boxBins))
        return pairing.pairs
    }
}
