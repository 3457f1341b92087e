import Glibc

/// The keys of pairs of peaks (landmark hashes): anchor's coarse frequency, frequency ratio and time difference.
///
/// Both peaks of a pair are of one band, and each band has buckets of its own. No skew changes the ratio. Its step
/// depends on the anchor bucket, because errors of frequency are constant in hertz. A query must use the step of the
/// bucket that it looks up. The time differences of one bucket and ratio are neighbours, so a range of them is one range
/// of keys.
struct KeySpace: Sendable {
    /// The number of time differences: 1 … 20 frames of the band.
    let differences: Int
    let bucketsPerOctave: Float
    /// The largest ratio in octaves, up or down.
    let widestOctaves: Float
    /// For each band the places of its buckets, from low to high.
    let places: [Range<Int>]
    /// For each bucket its frequency, as whole buckets above one bin.
    let numbers: FrozenArray<Int32>
    /// For each bucket, the reciprocal of its ratio step in octaves.
    let inverseSteps: FrozenArray<Float>
    /// For each bucket its first row, where a row is one ratio with all time differences; and the end.
    let firstRows: FrozenArray<Int32>
    let keyCount: Int

    init(_ settings: Settings.Index, analysis: Settings.Analysis) {
        differences = settings.longestFrames
        bucketsPerOctave = Float(settings.anchorStepsPerOctave)
        widestOctaves = settings.widestOctaves
        var places: [Range<Int>] = []
        var numbers: [Int32] = []
        var inverseSteps: [Float] = []
        var firstRows: [Int32] = [0]
        for band in Band.all {
            let first = inverseSteps.count
            for number in Self.numbers(of: band, analysis, perOctave: Double(bucketsPerOctave)) {
                let bins = exp2f((Float(number) + 0.5) / bucketsPerOctave) / band.bin
                let step = min(
                    max(settings.ratioStepBins / bins, settings.finestRatioOctaves),
                    settings.coarsestRatioOctaves)
                numbers.append(Int32(number))
                inverseSteps.append(1 / step)
                firstRows.append((firstRows.last ?? 0) + Int32((2 * widestOctaves / step).rounded(.up)) + 1)
            }
            places.append(first..<inverseSteps.count)
        }
        self.places = places
        self.numbers = FrozenArray(numbers)
        self.inverseSteps = FrozenArray(inverseSteps)
        self.firstRows = FrozenArray(firstRows)
        keyCount = Int(firstRows.last ?? 0) * differences
    }

    /// The buckets of a band's frequencies; none if the analysis does not reach it.
    private static func numbers(
        of band: Band, _ analysis: Settings.Analysis, perOctave: Double
    ) -> Range<Int> {
        guard let hertz = analysis.hertz(of: band) else { return 0..<0 }
        func number(_ frequency: Double, beyond bins: Double) -> Int {
            Int(log2(max(1, frequency / FrequencyScale.binHertz + bins)) * perOctave)
        }
        return number(hertz.lowerBound, beyond: -1)..<number(hertz.upperBound, beyond: 1) + 1
    }

    var rowCount: Int { keyCount / differences }

    /// Steps of a posting's frequency to the octave.
    var stepsPerOctave: Float { bucketsPerOctave * Float(Posting.stepsPerBucket) }

    /// The places of a band's buckets between two frequencies, in octaves above one bin.
    func buckets(from low: Float, through high: Float, band: Int) -> Range<Int> {
        let places = places[band]
        guard !places.isEmpty else { return 0..<0 }
        let shift = places.lowerBound - Int(numbers[places.lowerBound])
        let first = max(places.lowerBound, Int(low * bucketsPerOctave) + shift)
        let last = min(places.upperBound - 1, Int(high * bucketsPerOctave) + shift)
        return first..<max(first, last + 1)
    }

    /// A frequency in steps of postings above one bin; its low three bits count within the anchor bucket.
    func step(octaves: Float) -> Int { Int(octaves * stepsPerOctave) }

    /// The key of a reference pair, or nil when its anchor is outside the band.
    ///
    /// - Parameter frames: Whole frames of the band between the two, 1 … `differences`.
    func key(anchorOctaves: Float, ratioOctaves: Float, frames: Int, band: Int) -> Int? {
        let places = places[band]
        guard !places.isEmpty else { return nil }
        let bucket =
            Int(anchorOctaves * bucketsPerOctave) - Int(numbers.base[places.lowerBound]) + places.lowerBound
        guard places.contains(bucket) else { return nil }
        let row =
            Int(firstRows.base[bucket]) + Int((ratioOctaves + widestOctaves) * inverseSteps.base[bucket])
        guard row < Int(firstRows.base[bucket + 1]) else { return nil }
        return row * differences + frames - 1
    }
}
