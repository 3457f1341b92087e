import AudioCore

/// The peaks of a query and of the matching part of a reference, and the pairs that agree.
struct AlignedPeaks {
    let reference: [Peak]
    let frameCount: Int
    /// The reference frame at the query's first frame.
    let start: Double
    /// Reference frames per query frame, less 1.
    let timeSkew: Double
    private let query: QueryPieces
    private let candidate: Candidate
    private let alignment: Alignment
    private let reach: PairingReach
    private let span: ClosedRange<Float>

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
        start = startSeconds / settings.analysis.frameSeconds
        self.timeSkew = timeSkew
        frameCount = query.frameCount
        self.query = QueryPieces(
            query.peaks, frameCount: frameCount, ranks: settings.analysis.queryRank)
        let first = Int(bounded: start.rounded(.down))
        let length = Int(bounded: Double(frameCount) * (1 + abs(timeSkew))) + 3
        var window: [Peak] = []
        catalog.peakStore.peaks(
            of: place, frames: (first - 3 - margin)...(first + length + margin), into: &window)
        alignment = Alignment(
            shift: Float(start - start.rounded(.down)), timeSkew: Float(timeSkew),
            octaves: Skew.octaves(fraction: frequencySkew))
        candidate = Candidate(
            reference: place, referenceFrame: first, queryFrame: 0, octaves: 0, votes: 0)
        let after = Float(frameCount) * (1 + abs(alignment.timeSkew)) + 2
        span = (-3 - Float(margin))...(after + 1 + Float(margin))
        reach = PairingReach(
            bandFrames: settings.verification.boxFrames, frames: Float(margin),
            bins: settings.verification.boxBins)
        reference = window
    }

    /// Passes the query's peaks up to the rank for pairs, part by part, each with its pairs that agree.
    ///
    /// The pairs have indices in the part, which begins at the place `first`, and in `reference`.
    func forEachPart(_ body: (_ first: Int, _ query: QueryPeaks, _ pairs: [PeakPair]) -> Void) {
        var query = query
        var pairing = PeakPairing()
        for piece in 0..<query.count {
            let part = query.span(of: piece, queryFrame: 0, alignment, reach, within: span)
            guard let part else { continue }
            reference.withUnsafeBufferPointer { pairing.load($0, around: candidate, span: part) }
            guard !pairing.isEmpty else { continue }
            let peaks = query[piece]
            pairing.pair(peaks, queryFrame: 0, alignment, reach)
            body(query.places(of: piece).lowerBound, peaks, pairing.pairs)
        }
    }

    /// The pairs that agree, by their indices in the query's peaks up to the rank for pairs and in `reference`.
    var pairs: [PeakPair] {
        var all: [PeakPair] = []
        forEachPart { first, _, pairs in
            all += pairs.lazy.map { pair in
                var pair = pair
                pair.query += Int32(first)
                return pair
            }
        }
        return all
    }

    /// The query frame that a reference peak should have.
    func queryFrame(of peak: Peak) -> Double {
        (Double(peak.time) / Double(FrequencyScale.timeSteps) - start) / (1 + timeSkew)
    }

    /// The indices of the reference's peaks that the query should have.
    var expected: Range<Int> {
        let first = reference.partitioningIndex { queryFrame(of: $0) >= 0 }
        return first..<max(first, reference.partitioningIndex { queryFrame(of: $0) >= Double(frameCount) })
    }
}
