/// All pairs of all references, filed by key: for each key a run of (time on the timeline, anchor frequency).
///
/// The frequency is kept finely, so that every hit measures the skew of frequency by itself.
/// Six bytes a posting, about 83 postings a second of audio at 21 peaks a second.
struct PairIndex: Sendable {
    /// Steps of a posting's frequency to the octave.
    static let stepsPerOctave: Float = 2048

    let keys: KeySpace
    /// Where each key's run starts; one more marks the end.
    let starts: FrozenArray<UInt32>
    /// The anchors' frames on the timeline.
    let times: FrozenArray<UInt32>
    /// The anchors' frequencies in 1/2048 octave above one bin.
    let frequencies: FrozenArray<UInt16>

    /// Files the pairs of all references.
    ///
    /// - Parameter peaks: all peaks, reference after reference; `ranges` says whose are whose.
    init(peaks: [Peak], ranges: [Range<Int>], timeline: Timeline, settings: Settings) {
        keys = KeySpace(settings.index, analysis: settings.analysis)
        var pairKeys: [UInt32] = []
        var pairTimes: [UInt32] = []
        var pairFrequencies: [UInt16] = []
        var counts = [UInt32](repeating: 0, count: keys.keyCount + 1)
        var selection = PairSelection(settings.index, most: settings.index.referencePairs)
        for (reference, range) in ranges.enumerated() {
            let times = FrozenArray(peaks[range].lazy.map(\.time))
            let octaves = FrozenArray(peaks[range].lazy.map { FrequencyScale.octaves($0.frequency) })
            for anchor in 0..<times.count {
                let chosen = selection.select(anchor: anchor, times: times, octaves: octaves)
                let time = times.base[anchor]
                let octave = octaves.base[anchor]
                for choice in 0..<chosen {
                    let target = Int(selection.targets[choice])
                    let key = keys.key(
                        anchorOctaves: octave, ratioOctaves: octaves.base[target] - octave,
                        frames: Int(times.base[target] - time) / FrequencyScale.steps)
                    guard let key else { continue }
                    pairKeys.append(UInt32(key))
                    pairTimes.append(UInt32(timeline.starts[reference]) + (time + 32) / 64)
                    pairFrequencies.append(Self.code(octave))
                    counts[key + 1] += 1
                }
            }
        }
        for key in 0..<keys.keyCount { counts[key + 1] += counts[key] }
        starts = FrozenArray(counts)
        let places = pairKeys.map { key in
            defer { counts[Int(key)] += 1 }
            return Int(counts[Int(key)])
        }
        times = FrozenArray(count: places.count) { times in
            for (pair, place) in places.enumerated() { times[place] = pairTimes[pair] }
        }
        frequencies = FrozenArray(count: places.count) { frequencies in
            for (pair, place) in places.enumerated() { frequencies[place] = pairFrequencies[pair] }
        }
    }

    /// A frequency in octaves, in the steps of postings.
    static func code(_ octaves: Float) -> UInt16 { UInt16(max(0, octaves) * stepsPerOctave + 0.5) }

    /// The memory the index takes, in bytes.
    var byteCount: Int { starts.count * 4 + times.count * 6 }
}
