/// The peaks of a query, prepared piece by piece, so that the memory of a search does not grow with the query.
///
/// A query of at most 17 minutes is one piece, which stays prepared.
struct QueryPieces: Sendable {
    /// The frames of a piece.
    private static let frames = 1 << 15

    private let peaks: [Peak]
    private let ranks: Int
    private let band: Int?
    /// The number of pieces, at least 1.
    let count: Int
    /// The first of the kept peaks in each piece, and their number.
    private let starts: [Int]
    /// The frame after the last peak, and at least the query's end.
    private let end: Int
    private var latest: (frames: Range<Int>, peaks: QueryPeaks)?

    /// Takes the peaks of a band, or of all, that fewer than `ranks` neighbours outrank.
    init(_ peaks: [Peak], frameCount: Int, ranks: Int, band: Int? = nil) {
        self.peaks = peaks
        self.ranks = ranks
        self.band = band
        count = max(1, (frameCount + Self.frames - 1) / Self.frames)
        end = max(
            frameCount, (count - 1) * Self.frames,
            (peaks.last.map { Int($0.time) } ?? 0) / FrequencyScale.timeSteps + 1)
        var starts = [Int](repeating: 0, count: count + 1)
        for peak in peaks where QueryPeaks.keeps(peak, ranks: ranks, band: band) {
            starts[min(Int(peak.time) / FrequencyScale.timeSteps / Self.frames, count - 1) + 1] += 1
        }
        for piece in 0..<count { starts[piece + 1] += starts[piece] }
        self.starts = starts
    }

    func frames(of piece: Int) -> Range<Int> {
        piece * Self.frames..<(piece + 1 < count ? (piece + 1) * Self.frames : end)
    }

    /// The places of a piece's peaks among all.
    func places(of piece: Int) -> Range<Int> { starts[piece]..<starts[piece + 1] }

    subscript(piece: Int) -> QueryPeaks {
        mutating get { prepared(frames(of: piece)) }
    }

    /// Peaks that include those from one frame up to another.
    mutating func around(_ frames: Range<Int>) -> QueryPeaks {
        count == 1 ? self[0] : prepared(frames)
    }

    /// The reference frames, since the candidate's, of pairs that a piece may have; nil if they are not in `span`.
    func span(
        of piece: Int, queryFrame: Int, _ alignment: Alignment, _ reach: PairingReach,
        within span: ClosedRange<Float>
    ) -> ClosedRange<Float>? {
        guard count > 1 else { return span }
        let frames = frames(of: piece)
        return alignment.span(
            from: Float(frames.lowerBound - queryFrame), to: Float(frames.upperBound - queryFrame), reach,
            within: span)
    }

    private mutating func prepared(_ frames: Range<Int>) -> QueryPeaks {
        if let latest, latest.frames == frames { return latest.peaks }
        let made = QueryPeaks(Self.part(frames, of: peaks), ranks: ranks, band: band)
        latest = (frames, made)
        return made
    }

    /// The peaks from one frame up to another.
    static func part(_ frames: Range<Int>, of peaks: [Peak]) -> ArraySlice<Peak> {
        let start = peaks.partitioningIndex {
            Int($0.time) >= frames.lowerBound * FrequencyScale.timeSteps
        }
        let end = peaks.partitioningIndex { Int($0.time) >= frames.upperBound * FrequencyScale.timeSteps }
        return peaks[start..<end]
    }
}

extension Alignment {
    /// The reference frames of pairs of query peaks between two times u; nil if they are not in `span`.
    func span(
        from first: Float, to last: Float, _ reach: PairingReach, within span: ClosedRange<Float>
    ) -> ClosedRange<Float>? {
        // Four frames more than any rounding.
        let margin =
            reach.bandFrames * Band.longestFrame + reach.frames + reach.growth * max(abs(first), abs(last))
            + 4
        let low = shift + (1 + timeSkew) * first - margin
        let reached = low...max(low, shift + (1 + timeSkew) * last + margin)
        return reached.overlaps(span) ? reached.clamped(to: span) : nil
    }
}
