extension Signature {
    /// The unit of a peak's time, in seconds.
    package static let timeUnit = FrequencyScale.frameSeconds / Double(FrequencyScale.steps)

    /// The part of the signature that begins at `startSeconds` and lasts `durationSeconds`, as a signature of its own.
    ///
    /// Its times count from the part's start, rounded to 0.5 ms. Where the part reaches beyond the signature's ends there
    /// are no peaks.
    public func slice(fromSeconds startSeconds: Double, durationSeconds: Double) -> Signature {
        let most = Double(UInt32.max)
        let start = min(max(0, (startSeconds / Self.timeUnit).rounded()), most)
        let end = min(max(start, ((startSeconds + durationSeconds) / Self.timeUnit).rounded()), most)
        let first = peaks.partitioningIndex { Double($0.time) >= start }
        let beyond = peaks.partitioningIndex { Double($0.time) >= end }
        let frames = min(max(0, (durationSeconds * Double(sampleRate)).rounded()), Double(1 << 47))
        return Signature(
            peaks: peaks[first..<max(first, beyond)].map {
                Peak(time: $0.time - UInt32(start), frequency: $0.frequency, rank: $0.rank, height: $0.height)
            }, frameCount: Int(frames), sampleRate: sampleRate, keptRanks: keptRanks,
            channelsCancel: channelsCancel, hasHeights: hasHeights, analysisIdentity: analysisIdentity)
    }
}

extension [Peak] {
    /// The index of the first peak that is beyond; peaks that are not come before those that are.
    fileprivate func partitioningIndex(_ isBeyond: (Peak) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
