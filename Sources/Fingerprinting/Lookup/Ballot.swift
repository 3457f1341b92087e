/// One pass over the index for one part of a query: every matching pair votes for a time and a skew.
///
/// The ratio of a pair's frequencies is what no skew changes, and the anchor's frequency is keyed
/// coarsely; so there is no loop over skews. The few buckets that the anchor may fall in are
/// probed, and each hit's fine frequency says which skew it stands for.
struct Ballot {
    private let index: PairIndex
    private let octaves: Float
    private let mostSteps: Int32
    private let slack: Float
    private let queryPairs: PairSelection

    /// Prepares votes for frequency skews of up to `octaves` either way.
    init(index: PairIndex, settings: Settings, octaves: Float) {
        self.index = index
        self.octaves = octaves
        mostSteps = min(
            Int32(octaves * PairIndex.stepsPerOctave), Int32(VoteTable.planes / 2 * VoteTable.planeSteps - 1))
        slack = settings.lookup.differenceSlackFrames
        queryPairs = PairSelection(settings.index, most: settings.index.queryPairs)
    }

    /// The planes of the table that votes can fall in.
    var planes: ClosedRange<Int> {
        let reach = Int(mostSteps) / VoteTable.planeSteps
        return (VoteTable.planes / 2 - 1 - reach)...(VoteTable.planes / 2 + reach)
    }

    /// Lets the pairs whose anchors lie in `anchors` vote for where query frame `middle` is.
    func cast(_ peaks: QueryPeaks, anchors: Range<Int>, middle: Int, into table: inout VoteTable) {
        var selection = queryPairs
        table.withCounts { counts, stride in
            for anchor in anchors {
                let chosen = selection.select(anchor: anchor, times: peaks.times, octaves: peaks.octaves)
                let octave = peaks.octaves.base[anchor]
                let time = peaks.times.base[anchor]
                let shift = Int32(middle - (Int(time) + 32) / FrequencyScale.steps)
                for choice in 0..<chosen {
                    let target = Int(selection.targets[choice])
                    vote(
                        anchorOctaves: octave, ratio: peaks.octaves.base[target] - octave,
                        frames: Float(peaks.times.base[target] - time) / Float(FrequencyScale.steps),
                        shift: shift,
                        counts, stride)
                }
            }
        }
    }

    @inline(__always)
    private func vote(
        anchorOctaves: Float, ratio: Float, frames: Float, shift: Int32,
        _ counts: UnsafeMutablePointer<UInt16>,
        _ stride: Int
    ) {
        let keys = index.keys
        let differences = keys.differences
        let lowest = max(0, Int((anchorOctaves - octaves) * keys.bucketsPerOctave) - keys.firstBucket)
        let highest = min(
            keys.inverseSteps.count - 1,
            Int((anchorOctaves + octaves) * keys.bucketsPerOctave) - keys.firstBucket)
        guard lowest <= highest else { return }
        let code = Int32(PairIndex.code(anchorOctaves))
        for bucket in lowest...highest {
            // The two ratios nearest to the query's, in this bucket's steps.
            let ratioPlace = (ratio + keys.widestOctaves) * keys.inverseSteps.base[bucket] - 0.5
            let firstRow = Int(keys.firstRows.base[bucket])
            let rows = Int(keys.firstRows.base[bucket + 1]) - firstRow
            let highRow = min(rows - 1, Int(ratioPlace + 1))
            let lowRow = max(0, Int(ratioPlace + 1) - 1)
            guard lowRow <= highRow else { continue }
            // Time differences without skew, and skewed as the frequency is in this bucket (to first order).
            let centre = (Float(bucket + keys.firstBucket) + 0.5) / keys.bucketsPerOctave
            let skewed = frames * (1 + 0.6931 * (anchorOctaves - centre))
            let low = max(1, Int(min(frames, skewed) - slack))
            let high = min(differences, Int(max(frames, skewed) + slack))
            guard low <= high else { continue }
            for row in lowRow...highRow {
                let first = (firstRow + row) * differences + low - 1
                let from = Int(index.starts.base[first])
                let to = Int(index.starts.base[first + high - low + 1])
                for posting in from..<to {
                    let steps = code - Int32(index.frequencies.base[posting])
                    guard abs(steps) <= mostSteps else { continue }
                    let plane =
                        Int(steps + Int32(VoteTable.planes / 2 * VoteTable.planeSteps)) / VoteTable.planeSteps
                    let frame = Int32(bitPattern: index.times.base[posting]) &+ shift
                    let cell = Int(frame) / Timeline.cellFrames
                    let count = counts[plane * stride + cell]
                    counts[plane * stride + cell] = count &+ (count < VoteTable.mostVotes ? 1 : 0)
                }
            }
        }
    }
}
