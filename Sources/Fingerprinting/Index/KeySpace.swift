import Glibc

/// The keys of pairs of peaks (landmark hashes): anchor's coarse frequency, frequency ratio and time difference.
///
/// No skew changes the ratio. Its step depends on the anchor bucket, because errors of frequency are constant in hertz.
/// A query must use the step of the bucket that it looks up. The time differences of one bucket and ratio are
/// neighbours, so a range of them is one range of keys.
struct KeySpace: Sendable {
    /// The number of time differences: 1 … 20 frames.
    let differences: Int
    /// The anchor bucket of the lowest frequency, counted from one bin upwards.
    let firstBucket: Int
    let bucketsPerOctave: Float
    /// The largest ratio in octaves, up or down.
    let widestOctaves: Float
    /// For each bucket, the reciprocal of its ratio step in octaves.
    let inverseSteps: FrozenArray<Float>
    /// For each bucket its first row, where a row is one ratio with all time differences; and the end.
    let firstRows: FrozenArray<Int32>
    let keyCount: Int

    init(_ settings: Settings.Index, analysis: Settings.Analysis) {
        differences = settings.longestFrames
        bucketsPerOctave = Float(settings.anchorStepsPerOctave)
        widestOctaves = settings.widestOctaves
        let lowest = max(1, analysis.lowestHertz / analysis.binHertz - 1)
        let highest = max(lowest, analysis.highestHertz / analysis.binHertz + 1)
        firstBucket = Int(log2(lowest) * Double(bucketsPerOctave))
        let lastBucket = Int(log2(highest) * Double(bucketsPerOctave))
        var inverseSteps: [Float] = []
        var firstRows: [Int32] = [0]
        for bucket in firstBucket...lastBucket {
            let bins = exp2f((Float(bucket) + 0.5) / bucketsPerOctave)
            let step = min(
                max(settings.ratioStepBins / bins, settings.finestRatioOctaves), settings.coarsestRatioOctaves
            )
            inverseSteps.append(1 / step)
            firstRows.append((firstRows.last ?? 0) + Int32((2 * widestOctaves / step).rounded(.up)) + 1)
        }
        self.inverseSteps = FrozenArray(inverseSteps)
        self.firstRows = FrozenArray(firstRows)
        keyCount = Int(firstRows.last ?? 0) * differences
    }

    var rowCount: Int { keyCount / differences }

    /// Steps of a posting's frequency to the octave.
    var stepsPerOctave: Float { bucketsPerOctave * Float(Posting.stepsPerBucket) }

    func buckets(from low: Float, through high: Float) -> Range<Int> {
        let first = max(0, Int(low * bucketsPerOctave) - firstBucket)
        let last = min(inverseSteps.count - 1, Int(high * bucketsPerOctave) - firstBucket)
        return first..<max(first, last + 1)
    }

    /// A frequency in steps of postings above one bin; its low three bits count within the anchor bucket.
    func step(octaves: Float) -> Int { Int(octaves * stepsPerOctave) }

    /// The key of a reference pair, or nil when its anchor is outside the band.
    ///
    /// - Parameter frames: Whole frames between the two, 1 … `differences`.
    func key(anchorOctaves: Float, ratioOctaves: Float, frames: Int) -> Int? {
        let bucket = Int(anchorOctaves * bucketsPerOctave) - firstBucket
        guard bucket >= 0, bucket < inverseSteps.count else { return nil }
        let row =
            Int(firstRows.base[bucket]) + Int((ratioOctaves + widestOctaves) * inverseSteps.base[bucket])
        guard row < Int(firstRows.base[bucket + 1]) else { return nil }
        return row * differences + frames - 1
    }
}
