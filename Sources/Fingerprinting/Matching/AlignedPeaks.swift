/// The peaks of a query and of the matching part of a reference, and the pairs that agree.
struct AlignedPeaks {
    /// The query's peaks up to the rank for pairs.
    let query: [Peak]
    let reference: [Peak]
    /// The pairs that agree, by their indices in `query` and `reference`.
    let pairs: [PeakPair]
    let frameCount: Int
    /// The reference frame at the query's first frame.
    let start: Double
    /// Reference frames per query frame, less 1.
    let timeSkew: Double

    init(of match: Match, in query: Query, catalog: Catalog) {
        self.init(
            reference: match.referenceIndex,
            startSeconds: match.offsetSeconds - match.reverberationDelaySeconds,
            frequencySkew: match.frequencySkew, timeSkew: match.timeSkew, in: query, catalog: catalog)
    }

    /// Aligns the query with any place of a reference.
    ///
    /// - Parameters:
    ///   - startSeconds: The reference time at the query's first sample.
    ///   - margin: How many frames beside the place are included.
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
            octaves: Skew.octaves(fraction: frequencySkew))
        let candidate = Candidate(
            reference: place, referenceFrame: first, queryFrame: 0, octaves: 0, votes: 0)
        pairs = window.withUnsafeBufferPointer {
            verifier.pairs(at: alignment, of: candidate, peaks: $0, margin: Float(margin))
        }
        self.query = peaks
        reference = window
    }

    /// The indices of the query's peaks with a partner.
    var matched: Set<Int32> { Set(pairs.map(\.query)) }

    /// The reference's peaks that the query should have: their query frames, and whether it has them.
    var expected: [(frame: Double, isFound: Bool)] {
        let found = Set(pairs.map(\.reference))
        return reference.indices.compactMap { place in
            let frame =
                (Double(reference[place].time) / Double(FrequencyScale.timeSteps) - start) / (1 + timeSkew)
            guard frame >= 0, frame < Double(frameCount) else { return nil }
            return (frame, found.contains(Int32(place)))
        }
    }
}
