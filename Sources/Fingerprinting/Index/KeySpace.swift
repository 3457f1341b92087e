#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Where a pair of peaks is filed: by the anchor's coarse frequency, the frequency ratio and the time difference.
///
/// The ratio is what no skew changes. Its step belongs to the anchor bucket, as frequency errs by a
/// constant number of hertz; so a query must use the step of the bucket it probes. Time
/// differences of one bucket and ratio lie next to each other: neighbours are one range.
struct KeySpace: Sendable {
    /// How many time differences there are: 1 … 20 frames.
    let differences: Int
    /// The anchor bucket of the lowest frequency, counted from one bin upwards.
    let firstBucket: Int
    /// Anchor buckets to the octave.
    let bucketsPerOctave: Float
    /// The largest ratio in octaves, up or down.
    let widestOctaves: Float
    /// For each bucket, the reciprocal of its ratio step in octaves.
    let inverseSteps: FrozenArray<Float>
    /// For each bucket its first row, where a row is one ratio with all time differences; and the end.
    let firstRows: FrozenArray<Int32>
    /// The number of keys.
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

    /// The number of rows.
    var rowCount: Int { keyCount / differences }

    /// Steps of a posting's frequency to the octave.
    var stepsPerOctave: Float { bucketsPerOctave * Float(Posting.stepsPerBucket) }

    /// The buckets that hold anchors between two frequencies.
    func buckets(from low: Float, through high: Float) -> Range<Int> {
        let first = max(0, Int(low * bucketsPerOctave) - firstBucket)
        let last = min(inverseSteps.count - 1, Int(high * bucketsPerOctave) - firstBucket)
        return first..<max(first, last + 1)
    }

    /// A frequency in steps of postings above one bin; the low three bits are the place within the anchor bucket.
    func step(octaves: Float) -> Int {
        Int(octaves * stepsPerOctave)
    }

    /// The key of a reference pair, or nil where its anchor lies outside the band.
    ///
    /// - Parameter frames: whole frames between the two, 1 … `differences`.
    func key(anchorOctaves: Float, ratioOctaves: Float, frames: Int) -> Int? {
        let bucket = Int(anchorOctaves * bucketsPerOctave) - firstBucket
        guard bucket >= 0, bucket < inverseSteps.count else { return nil }
        let row =
            Int(firstRows.base[bucket]) + Int((ratioOctaves + widestOctaves) * inverseSteps.base[bucket])
        guard row < Int(firstRows.base[bucket + 1]) else { return nil }
        return row * differences + frames - 1
    }
}
