import AudioCore

/// Verifies candidates one by one: pairs → coarse fit → line → prior, then counts against chance.
struct Verifier: Sendable {
    private let settings: Settings.Verification
    private let store: PeakStore
    private var query: QueryPieces
    /// The query's peaks of the middle band, of all ranks.
    private var middleBand: QueryPieces
    private let queryFrameCount: Int
    private let prominentRanks: Int
    /// The strongest peaks of the latest piece.
    private var prominent: (piece: Int, peaks: ProminentPeaks)?
    /// The frames that a check looks at on either side of the part that voted: 10 s.
    ///
    /// So it costs the same however long the query is.
    private static let checkedFrames = 320
    private var window: [Peak] = []
    private var pairing = PeakPairing()
    /// The part of a reference that `pairing` holds.
    private var loaded: ReferencePart?
    /// The piece, the alignment and the reach of the pairs that it lists.
    private var paired: (piece: Int, queryFrame: Int, alignment: Alignment, reach: PairingReach)?
    private var coarse = CoarseFit()

    private struct ReferencePart: Hashable {
        let reference: Int
        let referenceFrame: Int
        let span: ClosedRange<Float>
    }

    /// Takes the peaks of a query, and those of the references.
    init(_ peaks: [Peak], frameCount: Int, of store: PeakStore, settings: Settings) {
        self.store = store
        self.settings = settings.verification
        queryFrameCount = frameCount
        prominentRanks = settings.analysis.referenceRank
        query = QueryPieces(peaks, frameCount: frameCount, ranks: settings.analysis.queryRank)
        middleBand = QueryPieces(peaks, frameCount: frameCount, ranks: Peak.ranks, band: Band.middle.place)
    }

    /// Loads the reference's peaks in `span`, counted from the candidate's reference frame.
    private mutating func load(_ span: ClosedRange<Float>, around candidate: Candidate) {
        let part = ReferencePart(
            reference: candidate.reference, referenceFrame: candidate.referenceFrame, span: span)
        guard loaded != part else { return }
        loaded = part
        paired = nil
        let low = candidate.referenceFrame + Int(bounded: span.lowerBound.rounded(.down))
        let high = candidate.referenceFrame + Int(bounded: span.upperBound.rounded(.up))
        store.peaks(of: candidate.reference, frames: low...high, into: &window)
        window.withUnsafeBufferPointer { pairing.load($0, around: candidate, span: span) }
    }

    /// Lists the pairs of a piece of the query within `reach` of an alignment, with reference peaks in `span`.
    ///
    /// - Returns: False if there is no reference peak near.
    private mutating func pair(
        _ piece: Int, of candidate: Candidate, in span: ClosedRange<Float>, _ alignment: Alignment,
        _ reach: PairingReach
    ) -> Bool {
        let queryFrame = candidate.queryFrame
        guard
            let part = query.span(of: piece, queryFrame: queryFrame, alignment, reach, within: span)
        else { return false }
        load(part, around: candidate)
        guard !pairing.isEmpty else { return false }
        let isDone =
            paired.map { $0 == (piece, queryFrame, alignment, reach) } ?? false
        if !isDone { pairing.pair(query[piece], queryFrame: queryFrame, alignment, reach) }
        paired = (piece, queryFrame, alignment, reach)
        return true
    }

    /// The frames around a candidate's reference frame from which `fitted` and `screened` need peaks.
    private func span(around candidate: Candidate) -> ClosedRange<Float> {
        let before = Float(min(candidate.queryFrame, Self.checkedFrames))
        let after = Float(min(queryFrameCount - candidate.queryFrame, Self.checkedFrames))
        let margin =
            settings.searchFrames * 2 + Self.controlReach + (settings.searchGrowth + 0.06)
            * max(before, after)
        return (-before - margin)...(after + margin)
    }

    /// Fits the peaks near a candidate; nil when they support no alignment.
    mutating func fitted(_ candidate: Candidate, least: Int) -> FittedCandidate? {
        let near = near(candidate)
        load(span(around: candidate), around: candidate)
        paired = nil
        let origin = Alignment(shift: 0, timeSkew: 0, octaves: candidate.octaves)
        pairing.pair(
            near.query, near.part, queryFrame: candidate.queryFrame, origin,
            PairingReach(
                frames: settings.searchFrames, growth: settings.searchGrowth, bins: settings.searchBins,
                octaves: settings.searchOctaves))
        let halfLength = Float(
            min(max(candidate.queryFrame, queryFrameCount - candidate.queryFrame), Self.checkedFrames))
        let start = coarse.fit(
            pairing.pairs, reach: settings.searchFrames + settings.searchGrowth * halfLength,
            halfLength: halfLength, largestTimeSkew: settings.largestTimeSkew, least: least)
        guard let start else { return nil }
        return LineFit.fit(
            origin: origin, start: start, widths: LineFit.narrowing,
            largestTimeSkew: settings.largestTimeSkew + 0.003, forEachPairs: { $0(pairing.pairs) }
        ).map { FittedCandidate(candidate: candidate, fit: $0, prior: SkewPrior($0, settings: settings)) }
    }

    /// Counts the evidence of a fit: peaks with a partner there, and by chance.
    ///
    /// - Parameter frames: The reference's length in frames.
    mutating func screened(_ fitted: FittedCandidate, frames: Int) -> VerifiedCandidate {
        let candidate = fitted.candidate
        let near = near(candidate)
        load(span(around: candidate), around: candidate)
        paired = nil
        let alignment = fitted.alignment
        var control = control(candidate, alignment, frames: frames)
        pairing.pair(near.query, near.part, queryFrame: candidate.queryFrame, alignment, evidenceReach)
        control.add(pairing.pairs, query: near.query, near.part)
        return evaluated(fitted, control.finish())
    }

    /// The peaks of the query that a check looks at.
    private mutating func near(_ candidate: Candidate) -> (query: QueryPeaks, part: Range<Int>) {
        let first = candidate.queryFrame - Self.checkedFrames
        let end = candidate.queryFrame + Self.checkedFrames
        let query = query.around(first..<end)
        return (query, query.indices(from: first, to: end))
    }

    /// Fits the whole query again from the last alignment, to include peaks that the first fit missed.
    ///
    /// The second of two fits starts at a rounded place. So the result does not depend on where the search began, which
    /// differs with the size of the catalog.
    ///
    /// - Returns: The new fit, or the old one if too few peaks support a line.
    mutating func refine(_ verified: VerifiedCandidate, frames: Int) -> VerifiedCandidate {
        guard let near = fit(verified.candidate, near: verified.alignment) else { return verified }
        let (candidate, start) = rounded(verified.candidate, near.alignment)
        guard let fit = fit(candidate, near: start) else { return verified }
        let fitted = FittedCandidate(
            candidate: candidate, fit: fit, prior: SkewPrior(fit, settings: settings))
        let alignment = fitted.alignment
        let span = span(of: candidate, alignment)
        var control = control(candidate, alignment, frames: frames)
        for piece in 0..<query.count where query.count == 1 || control.mayCount(query.frames(of: piece)) {
            let hasPairs = pair(piece, of: candidate, in: span, alignment, evidenceReach)
            let peaks = query[piece]
            control.add(hasPairs ? pairing.pairs : [], query: peaks, 0..<peaks.count)
        }
        return evaluated(fitted, control.finish())
    }

    /// Fits the peaks of the whole query that are near an alignment.
    private mutating func fit(_ candidate: Candidate, near alignment: Alignment) -> LineFit? {
        let span = span(of: candidate, alignment)
        let reach = PairingReach(bandFrames: 4, bins: 1.6)
        return LineFit.fit(
            origin: alignment, start: Alignment(shift: 0, timeSkew: 0, octaves: 0),
            widths: LineFit.refining, largestTimeSkew: settings.largestTimeSkew
        ) { body in
            for piece in 0..<query.count where pair(piece, of: candidate, in: span, alignment, reach) {
                body(pairing.pairs)
            }
        }
    }

    /// The same line, from the reference frame nearest to it and rounded to a sixteenth of a frame at the query's ends.
    private func rounded(
        _ candidate: Candidate, _ alignment: Alignment
    ) -> (candidate: Candidate, alignment: Alignment) {
        let steps: Float = 16
        let frames = max(candidate.queryFrame, queryFrameCount - candidate.queryFrame, 128)
        // The next power of two, so that a rounded skew is exact.
        let skewSteps = steps * Float(1 << (Int.bitWidth - frames.leadingZeroBitCount))
        let shift = alignment.shift.rounded()
        return (
            Candidate(
                reference: candidate.reference, referenceFrame: candidate.referenceFrame + Int(shift),
                queryFrame: candidate.queryFrame, octaves: candidate.octaves, votes: candidate.votes),
            Alignment(
                shift: ((alignment.shift - shift) * steps).rounded() / steps,
                timeSkew: (alignment.timeSkew * skewSteps).rounded() / skewSteps,
                octaves: (alignment.octaves * 4096).rounded() / 4096)
        )
    }

    private var evidenceReach: PairingReach {
        PairingReach(bandFrames: ChanceControl.reach(settings), bins: settings.boxBins)
    }

    private func control(
        _ candidate: Candidate, _ alignment: Alignment, frames: Int
    ) -> ChanceControl {
        ChanceControl(
            alignment, queryFrame: candidate.queryFrame,
            span: Float(-candidate.referenceFrame)...Float(frames - candidate.referenceFrame),
            settings: settings)
    }

    private func evaluated(_ fitted: FittedCandidate, _ evidence: [PeakEvidence]) -> VerifiedCandidate {
        let screening = PeakEvidence.screening(evidence, prior: fitted.prior, settings: settings)
        return VerifiedCandidate(
            fitted: fitted, evidenceOfSets: evidence, bandSet: screening.bandSet,
            screeningScore: screening.score)
    }

    /// The frames around a candidate's reference frame from which `refine` and `fullEvidence` need peaks.
    ///
    /// They include the shifts of the controls.
    private func span(of candidate: Candidate, _ alignment: Alignment) -> ClosedRange<Float> {
        let before = Float(candidate.queryFrame)
        let after = Float(queryFrameCount - candidate.queryFrame)
        let slope = 1 + abs(alignment.timeSkew) + 0.01
        let margin = Self.controlReach + 4
        return (alignment.shift - slope * before - margin)...(alignment.shift + slope * after + margin)
    }

    /// The strongest peaks of a piece, measured in the query's spectrogram; a query of one piece keeps them.
    private mutating func prominentPeaks(of piece: Int, in spectra: [SpectralContrast]) -> ProminentPeaks {
        if let prominent, prominent.piece == piece { return prominent.peaks }
        let made = ProminentPeaks(query[piece], ranks: prominentRanks, in: spectra)
        prominent = (piece, made)
        return made
    }

    /// Measures the evidence on the spectrogram and on all peaks of the query.
    ///
    /// - Parameters:
    ///   - spectra: The query's spectrogram in each band, of `Settings.Verification.contrastFrames`; the same for all
    ///     candidates.
    ///   - frames: The length of the reference.
    mutating func fullEvidence(
        of verified: VerifiedCandidate, in spectra: [SpectralContrast], frames: Int
    ) -> FullEvidence {
        let (candidate, alignment) = (verified.candidate, verified.alignment)
        let span = span(of: candidate, alignment)
        let contrasts = contrasts(of: candidate, alignment, in: spectra, span)
        let reach = PairingReach(bandFrames: settings.boxFrames, bins: settings.boxBins)
        var recovery = Recovery()
        var explained = ProminentPeaks.Count()
        var misfit = Misfit()
        for piece in 0..<query.count {
            let hasPairs = pair(piece, of: candidate, in: span, alignment, reach)
            explained.add(prominentPeaks(of: piece, in: spectra), pairs: hasPairs ? pairing.pairs : [])
            guard hasPairs else { continue }
            let part = query.frames(of: piece).clamped(to: 0..<max(0, queryFrameCount - 1))
            let margin = Int(settings.boxFrames) + 2
            let near = middleBand.around(part.lowerBound - margin..<part.upperBound + margin)
            pairing.withReferencePeaks { frames, octaves in
                recovery.add(
                    frames: frames, octaves: octaves, query: near, part, queryFrame: candidate.queryFrame,
                    alignment, settings: settings)
            }
            if pair(piece, of: candidate, in: span, alignment, Misfit.reach) {
                misfit.add(pairing.pairs, of: query[piece], and: window, in: spectra)
            }
        }
        misfit.finish()
        return FullEvidence(
            contrasts: BandSet.all.map { set in
                Contrast(of: contrasts.indices.filter(set.contains).map { contrasts[$0] })
            }, recovery: recovery, explanations: explained.explanations, misfit: misfit,
            lengthOctaves: log2(
                max(1, overlap(of: verified, referenceFrames: frames)) * FrequencyScale.frameSeconds))
    }

    /// The frames of the query within the reference.
    private func overlap(of verified: VerifiedCandidate, referenceFrames: Int) -> Double {
        let rate = 1 + Double(verified.alignment.timeSkew)
        let begin = -verified.referenceFrameOfQueryStart / rate
        return min(Double(queryFrameCount - 1), begin + Double(referenceFrames) / rate) - max(0, begin)
    }

    private mutating func contrasts(
        of candidate: Candidate, _ alignment: Alignment, in spectra: [SpectralContrast],
        _ span: ClosedRange<Float>
    ) -> [Contrast] {
        let beginning =
            query.count == 1
            ? span
            : alignment.span(
                from: Float(-Self.contrastMargin - candidate.queryFrame),
                to: Float(settings.contrastFrames + Self.contrastMargin - candidate.queryFrame),
                PairingReach(bins: 0), within: span)
        guard let beginning else { return spectra.map { _ in Contrast() } }
        load(beginning, around: candidate)
        return pairing.withReferencePeaks { frames, octaves in
            spectra.map {
                $0.contrast(
                    frames: frames, octaves: octaves, queryFrame: candidate.queryFrame, alignment)
            }
        }
    }

    /// The frames on either side that the shifts of a control reach: 17 of the longest, and some more.
    private static let controlReach = 17 * Band.longestFrame + 2
    /// The frames beside the spectrogram at which the contrast looks for peaks: 14 of the longest, and some more.
    private static let contrastMargin = Int(16 * Band.longestFrame)
}
