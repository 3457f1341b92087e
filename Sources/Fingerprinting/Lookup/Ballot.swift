/// One pass over the index for one part of a query: every matching pair votes for a time and a skew.
///
/// The ratio of a pair's frequencies is what no skew changes, and the anchor's frequency is keyed
/// coarsely; so there is no loop over skews. The few buckets that the anchor may fall in are
/// probed, and each hit's fine frequency says which skew it stands for.
struct Ballot {
    private let index: PairIndex
    private let slack: Float
    private let queryPairs: PairSelection
    /// The largest frequency skew, either way.
    private let octaves: Float
    /// The largest skew of a hit: a posting's frequency is known to half a step.
    private let reach: Float

    /// Prepares votes for frequency skews of up to `octaves` either way.
    init(index: PairIndex, settings: Settings, octaves: Float) {
        self.index = index
        self.octaves = min(octaves, VoteTable.widestOctaves)
        reach = self.octaves + 0.5 / index.keys.stepsPerOctave
        slack = settings.lookup.differenceSlackFrames
        queryPairs = PairSelection(settings.index, most: settings.index.queryPairs)
    }

    /// The planes of the table that votes can fall in.
    var planes: ClosedRange<Int> { VoteTable.plane(octaves: -reach)...VoteTable.plane(octaves: reach) }

    /// The runs of postings that vote for where query frame `middle` is, of pairs whose anchors lie in `anchors`.
    ///
    /// Bucket by bucket, so that probes near each other in memory come one after the other.
    ///
    /// - Parameter mostHits: the runs whose hits tell least are left out until there are no more hits than this.
    func probes(_ peaks: QueryPeaks, anchors: Range<Int>, middle: Int, mostHits: Int) -> Probes {
        let pairs = QueryPairs(peaks, anchors: anchors, selection: queryPairs)
        let keys = index.keys
        let reached = anchors.map { anchor in
            keys.buckets(
                from: peaks.octaves.base[anchor] - octaves, through: peaks.octaves.base[anchor] + octaves)
        }
        var probes = Probes()
        for bucket in 0..<keys.inverseSteps.count {
            for (place, anchor) in anchors.enumerated()
            where reached[place].contains(bucket) && !pairs.ranges[place].isEmpty {
                let octave = peaks.octaves.base[anchor]
                // A posting's time is known to four frames: its middle is two beyond its start.
                let frame = (Int(peaks.times.base[anchor]) + 32) / FrequencyScale.steps
                probes.begin(
                    .init(
                        planes: planes(of: bucket, anchorOctaves: octave),
                        shift: middle - frame + Posting.frames / 2))
                let probe = BucketProbe(bucket, keys, anchorOctaves: octave)
                for pair in pairs.ranges[place] {
                    probe.find(
                        ratio: pairs.ratios[pair], frames: pairs.frames[pair], rank: pairs.ranks[pair],
                        slack: slack, index, into: &probes)
                }
            }
        }
        probes.limit(to: mostHits)
        return probes
    }

    private func planes(of bucket: Int, anchorOctaves: Float) -> SIMD8<Int32> {
        let firstStep = Float((bucket + index.keys.firstBucket) * Posting.stepsPerBucket) + 0.5
        var planes = SIMD8<Int32>(repeating: -1)
        for step in 0..<Posting.stepsPerBucket {
            let skew = anchorOctaves - (firstStep + Float(step)) / index.keys.stepsPerOctave
            if abs(skew) <= reach { planes[step] = Int32(VoteTable.plane(octaves: skew)) }
        }
        return planes
    }
}

/// The pairs of a part of a query.
private struct QueryPairs {
    /// Whose pairs are where, for each anchor.
    private(set) var ranges: [Range<Int>] = []
    /// log2 of target frequency over anchor frequency.
    private(set) var ratios: [Float] = []
    /// Time differences in frames.
    private(set) var frames: [Float] = []
    /// The ranks of both peaks together.
    private(set) var ranks: [Int] = []

    init(_ peaks: QueryPeaks, anchors: Range<Int>, selection: PairSelection) {
        var selection = selection
        let times = UnsafeBufferPointer(start: peaks.times.base, count: peaks.count)
        let octaves = UnsafeBufferPointer(start: peaks.octaves.base, count: peaks.count)
        for anchor in anchors {
            let first = ratios.count
            for choice in 0..<selection.select(anchor: anchor, times: times, octaves: octaves) {
                let target = Int(selection.targets[choice])
                ratios.append(octaves[target] - octaves[anchor])
                ranks.append(Int(peaks.ranks.base[anchor]) + Int(peaks.ranks.base[target]))
                frames.append(Float(times[target] - times[anchor]) / Float(FrequencyScale.steps))
            }
            ranges.append(first..<ratios.count)
        }
    }
}

/// Finds the runs of pairs whose anchor would lie in one bucket.
private struct BucketProbe {
    private let firstRow: Int
    private let rows: Int
    private let inverseStep: Float
    private let widestOctaves: Float
    /// Reference time per query time, were time skewed as frequency is, to first order.
    private let stretch: Float

    init(_ bucket: Int, _ keys: KeySpace, anchorOctaves: Float) {
        firstRow = Int(keys.firstRows.base[bucket])
        rows = Int(keys.firstRows.base[bucket + 1]) - firstRow
        inverseStep = keys.inverseSteps.base[bucket]
        widestOctaves = keys.widestOctaves
        let centre = (Float(bucket + keys.firstBucket) + 0.5) / keys.bucketsPerOctave
        stretch = 1 + 0.6931 * (anchorOctaves - centre)
    }

    @inline(__always)
    func find(
        ratio: Float, frames: Float, rank: Int, slack: Float, _ index: PairIndex, into probes: inout Probes
    ) {
        // The two ratios nearest to the query's, in this bucket's steps.
        let above = Int((ratio + widestOctaves) * inverseStep + 0.5)
        let highRow = min(rows - 1, above)
        let lowRow = max(0, above - 1)
        guard lowRow <= highRow else { return }
        // Time differences without skew, and skewed as the frequency is in this bucket.
        let skewed = frames * stretch
        let low = max(1, Int(min(frames, skewed) - slack))
        let high = min(index.keys.differences, Int(max(frames, skewed) + slack))
        guard low <= high else { return }
        for row in lowRow...highRow {
            probes.append(index.postings(row: firstRow + row, differences: low...high), rank: rank)
        }
    }
}
