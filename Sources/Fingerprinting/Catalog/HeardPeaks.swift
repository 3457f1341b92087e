/// The peaks of a query and of the part of a reference that a match lays it on, and which of them agree.
struct HeardPeaks {
    /// The query's peaks that are paired.
    let query: [Peak]
    /// The reference's peaks about where the query lies.
    let reference: [Peak]
    /// Which agree, by their places in `query` and `reference`.
    let pairs: [PeakPair]
    /// The query's length in frames.
    let frameCount: Int
    /// The reference frame heard at the query's first frame.
    let start: Double
    /// Reference frames per query frame, less 1.
    let timeSkew: Double

    init(of match: Match, in query: Query, catalog: Catalog) {
        self.init(
            reference: match.referenceIndex, startSeconds: match.offsetSeconds - match.latenessSeconds,
            frequencySkew: match.frequencySkew, timeSkew: match.timeSkew, in: query, catalog: catalog)
    }

    /// Lays the query on any place of a reference.
    ///
    /// - Parameters:
    ///   - startSeconds: the reference time heard at the query's first sample.
    ///   - margin: how many frames beside the place peaks may lie and be paired.
    init(
        reference place: Int, startSeconds: Double, frequencySkew: Double, timeSkew: Double, in query: Query,
        catalog: Catalog, margin: Int = 0
    ) {
        let settings = catalog.settings
        let peaks = query.peaks.filter { $0.rank < settings.analysis.queryRank }
        start = startSeconds / settings.analysis.frameSeconds
        self.timeSkew = timeSkew
        frameCount = query.frameCount
        let first = Int(start.rounded(.down))
        let length = Int(Double(frameCount) * (1 + abs(timeSkew))) + 3
        var window: [Peak] = []
        catalog.peakStore.peaks(
            of: place, frames: (first - 3 - margin)...(first + length + margin), into: &window)
        var verifier = Verifier(
            query: QueryPeaks(peaks, ranks: settings.analysis.queryRank), queryFrameCount: frameCount,
            settings: settings.verification)
        let alignment = Alignment(
            shift: Float(start - start.rounded(.down)), timeSkew: Float(timeSkew),
            octaves: Decision.octaves(skew: frequencySkew))
        let candidate = Candidate(
            reference: place, referenceFrame: first, queryFrame: 0, octaves: 0, votes: 0)
        pairs = window.withUnsafeBufferPointer {
            verifier.pairs(at: alignment, of: candidate, peaks: $0, margin: Float(margin))
        }
        self.query = peaks
        reference = window
    }

    /// Which of the query's peaks agree with one of the reference's.
    var matched: Set<Int32> { Set(pairs.map(\.query)) }

    /// The reference's peaks that the query should hold: their query frames, and which it does hold.
    var expected: [(frame: Double, isFound: Bool)] {
        let found = Set(pairs.map(\.reference))
        return reference.indices.compactMap { place in
            let frame =
                (Double(reference[place].time) / Double(FrequencyScale.steps) - start) / (1 + timeSkew)
            guard frame >= 0, frame < Double(frameCount) else { return nil }
            return (frame, found.contains(Int32(place)))
        }
    }
}
