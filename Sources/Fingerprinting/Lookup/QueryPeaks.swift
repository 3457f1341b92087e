/// Peaks of a query, prepared for loops.
struct QueryPeaks: Sendable {
    /// Times in 1/64 frame from the query's first sample, ascending.
    let times: FrozenArray<UInt32>
    let frames: FrozenArray<Float>
    /// Frequencies in bins of each peak's band.
    let bins: FrozenArray<Float>
    /// Frequencies in octaves above one bin of the middle band.
    let octaves: FrozenArray<Float>
    let ranks: FrozenArray<UInt8>
    /// As in `Peak.level`.
    let levels: FrozenArray<UInt8>
    /// The places of the peaks' bands.
    let bands: FrozenArray<UInt8>

    /// Takes the peaks of a band, or of all, that fewer than `ranks` neighbours outrank.
    init(_ peaks: some Sequence<Peak>, ranks: Int, band: Int? = nil) {
        let kept = peaks.filter { Self.keeps($0, ranks: ranks, band: band) }
        times = FrozenArray(kept.map(\.time))
        frames = FrozenArray(kept.map(\.frames))
        bins = FrozenArray(kept.map { $0.bins / $0.band.bin })
        self.ranks = FrozenArray(kept.map(\.rank))
        levels = FrozenArray(kept.map(\.level))
        octaves = FrozenArray(kept.map { FrequencyScale.octaves($0.frequency) })
        bands = FrozenArray(kept.map { UInt8(Band.place(of: $0.frequency)) })
    }

    static func keeps(_ peak: Peak, ranks: Int, band: Int?) -> Bool {
        peak.rank < ranks && (band == nil || Band.place(of: peak.frequency) == band)
    }

    var count: Int { times.count }

    @inline(__always)
    func band(_ index: Int) -> Int { Int(bands.base[index]) }

    /// The indices of the peaks from one frame up to another.
    func indices(from first: Int, to end: Int) -> Range<Int> {
        let first = firstIndex(from: first)
        return first..<max(first, firstIndex(from: end))
    }

    /// The index of the first peak at a frame or later.
    private func firstIndex(from frame: Int) -> Int {
        let time = UInt32(clamping: frame * FrequencyScale.timeSteps)
        return (0..<count).partitioningIndex { times.base[$0] >= time }
    }
}
