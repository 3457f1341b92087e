/// The lookup of one part of a query in the index: every matching pair votes for a time and a skew.
///
/// No skew changes the ratio of a pair's frequencies, and the key of the anchor's frequency is coarse; so there is no
/// loop over skews. The lookup reads the few buckets that the anchor may be in, and the fine frequency of each hit
/// gives its skew.
struct PairLookup {
    private let index: PairIndex
    private let slack: Float
    private let settings: Settings.Index
    /// The largest frequency skew either way.
    private let octaves: Float
    /// The largest skew of a hit: a posting's frequency is known to half a step.
    private let reach: Float

    /// The frames after an anchor in which a pair may end, with a frame to spare.
    static let framesAfter = Int(Band.longestFrame) * Settings().index.longestFrames + 1

    /// Prepares votes for frequency skews of up to `octaves` either way.
    init(index: PairIndex, settings: Settings, octaves: Float) {
        self.index = index
        self.octaves = min(octaves, VoteTable.widestOctaves)
        reach = self.octaves + 0.5 / index.keys.stepsPerOctave
        slack = settings.lookup.differenceSlackFrames
        self.settings = settings.index
    }

    var planes: ClosedRange<Int> { VoteTable.plane(octaves: -reach)...VoteTable.plane(octaves: reach) }

    /// The keys of pairs whose anchors are in the frames `part`; their postings vote for the position of query frame
    /// `middle`.
    ///
    /// - Parameters:
    ///   - bands: The query's peaks of each band, at least those from `part` on until `framesAfter` it.
    ///   - mostHits: The least informative keys are dropped until there are at most this many hits.
    func keys(_ bands: [QueryPeaks], part: Range<Int>, middle: Int, mostHits: Int) -> LookupKeys {
        var keys = LookupKeys()
        for band in Band.all {
            let peaks = bands[band.place]
            let anchors = peaks.indices(from: part.lowerBound, to: part.upperBound)
            if !anchors.isEmpty { appendKeys(of: band, peaks, anchors: anchors, middle: middle, to: &keys) }
        }
        keys.limit(to: mostHits)
        return keys
    }

    /// Appends keys bucket by bucket, so that neighbours in memory follow each other.
    private func appendKeys(
        of band: Band, _ peaks: QueryPeaks, anchors: Range<Int>, middle: Int, to keys: inout LookupKeys
    ) {
        let pairs = QueryPairs(
            peaks, anchors: anchors, band: band,
            selection: PairSelection(settings, band: band, most: settings.queryPairs))
        let space = index.keys
        let reached = anchors.map { anchor in
            space.buckets(
                from: peaks.octaves.base[anchor] - octaves, through: peaks.octaves.base[anchor] + octaves,
                band: band.place)
        }
        for bucket in space.places[band.place] {
            for (place, anchor) in anchors.enumerated()
            where reached[place].contains(bucket) && !pairs.ranges[place].isEmpty {
                let octave = peaks.octaves.base[anchor]
                // A posting's time is known to four frames: its middle is two beyond its start.
                let frame = (Int(peaks.times.base[anchor]) + 32) / FrequencyScale.timeSteps
                keys.begin(
                    .init(
                        planes: planes(of: bucket, anchorOctaves: octave),
                        shift: middle - frame + Posting.frames / 2))
                let lookup = BucketLookup(bucket, space, anchorOctaves: octave)
                for pair in pairs.ranges[place] {
                    lookup.find(
                        ratio: pairs.ratios[pair], frames: pairs.frames[pair], rank: pairs.ranks[pair],
                        slack: slack, index, into: &keys)
                }
            }
        }
    }

    private func planes(of bucket: Int, anchorOctaves: Float) -> SIMD8<Int32> {
        let firstStep = Float(Int(index.keys.numbers[bucket]) * Posting.stepsPerBucket) + 0.5
        var planes = SIMD8<Int32>(repeating: -1)
        for step in 0..<Posting.stepsPerBucket {
            let skew = anchorOctaves - (firstStep + Float(step)) / index.keys.stepsPerOctave
            if abs(skew) <= reach { planes[step] = Int32(VoteTable.plane(octaves: skew)) }
        }
        return planes
    }
}

private struct QueryPairs {
    private(set) var ranges: [Range<Int>] = []
    /// log2 of target frequency over anchor frequency.
    private(set) var ratios: [Float] = []
    /// Frames of the band.
    private(set) var frames: [Float] = []
    /// The sum of both peaks' ranks.
    private(set) var ranks: [Int] = []

    init(_ peaks: QueryPeaks, anchors: Range<Int>, band: Band, selection: PairSelection) {
        var selection = selection
        let frameSteps = band.frame * Float(FrequencyScale.timeSteps)
        let times = UnsafeBufferPointer(start: peaks.times.base, count: peaks.count)
        let octaves = UnsafeBufferPointer(start: peaks.octaves.base, count: peaks.count)
        for anchor in anchors {
            let first = ratios.count
            for choice in 0..<selection.select(anchor: anchor, times: times, octaves: octaves) {
                let target = Int(selection.targets[choice])
                ratios.append(octaves[target] - octaves[anchor])
                ranks.append(Int(peaks.ranks.base[anchor]) + Int(peaks.ranks.base[target]))
                frames.append(Float(times[target] - times[anchor]) / frameSteps)
            }
            ranges.append(first..<ratios.count)
        }
    }
}

/// The lookup of pairs with an anchor in one bucket.
private struct BucketLookup {
    private let firstRow: Int
    private let rows: Int
    private let inverseStep: Float
    private let widestOctaves: Float
    /// Reference time per query time to first order, if time is skewed as frequency is.
    private let stretch: Float

    init(_ bucket: Int, _ keys: KeySpace, anchorOctaves: Float) {
        firstRow = Int(keys.firstRows.base[bucket])
        rows = Int(keys.firstRows.base[bucket + 1]) - firstRow
        inverseStep = keys.inverseSteps.base[bucket]
        widestOctaves = keys.widestOctaves
        let centre = (Float(keys.numbers.base[bucket]) + 0.5) / keys.bucketsPerOctave
        stretch = 1 + NaturalLogarithmOf2.fourDigitsSingle * (anchorOctaves - centre)
    }

    @inline(__always)
    func find(
        ratio: Float, frames: Float, rank: Int, slack: Float, _ index: PairIndex, into keys: inout LookupKeys
    ) {
        // The two ratios nearest to the query's, in this bucket's steps.
        let above = Int((ratio + widestOctaves) * inverseStep + 0.5)
        let highRow = min(rows - 1, above)
        let lowRow = max(0, above - 1)
        guard lowRow <= highRow else { return }
        // Time differences without skew, and with the frequency skew of this bucket.
        let skewed = frames * stretch
        let low = max(1, Int(min(frames, skewed) - slack))
        let high = min(index.keys.differences, Int(max(frames, skewed) + slack))
        guard low <= high else { return }
        index.forEachRun(rows: firstRow + lowRow...firstRow + highRow, differences: low...high) {
            keys.append($0, rank: rank)
        }
    }
}
