struct QueryPeaks: Sendable {
    /// Times in 1/64 frame from the query's first sample, ascending.
    let times: FrozenArray<UInt32>
    let frames: FrozenArray<Float>
    let bins: FrozenArray<Float>
    /// Frequencies in octaves above one bin.
    let octaves: FrozenArray<Float>
    let ranks: FrozenArray<UInt8>

    /// Takes the peaks that fewer than `ranks` neighbours outrank.
    init(_ peaks: [Peak], ranks: Int) {
        let kept = peaks.filter { $0.rank < ranks }
        times = FrozenArray(kept.map(\.time))
        frames = FrozenArray(kept.map { Float($0.time) / Float(FrequencyScale.steps) })
        bins = FrozenArray(kept.map { Float(max(1, $0.frequency)) / Float(FrequencyScale.steps) })
        self.ranks = FrozenArray(kept.map(\.rank))
        octaves = FrozenArray(kept.map { FrequencyScale.octaves($0.frequency) })
    }

    var count: Int { times.count }
}
