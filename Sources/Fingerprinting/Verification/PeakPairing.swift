/// A query peak and a reference peak that lie near each other once the query is laid on the reference.
struct PeakPair: Sendable {
    /// The query peak's place in the query.
    var query: Int32
    /// The reference peak's place in the reference.
    var reference: Int32
    /// The query peak's time from the candidate's query frame, in frames.
    var u: Float
    /// How many frames later than predicted the reference peak is.
    var lateness: Float
    /// log2 of query frequency over reference frequency, less what was predicted.
    var octaves: Float
    /// The query peak's frequency in bins.
    var bins: Float
}

/// How far a pair may be from where it is predicted.
struct PairingReach: Sendable {
    /// This many frames.
    var frames: Float
    /// And this many for each frame from the query's middle; below 0.9.
    var growth: Float = 0
    /// This many bins.
    var bins: Float
    /// And this many octaves.
    var octaves: Float = 0
}

/// Lists the pairs of near peaks of a query and the part of a reference it may lie on.
struct PeakPairing: Sendable {
    // Peaks that are near nothing, so that eight may be read at once to the very end.
    private static let padding = 8
    private(set) var pairs: [PeakPair] = []
    private var times = [Float](repeating: .infinity, count: PeakPairing.padding)
    private var octaves = [Float](repeating: .infinity, count: PeakPairing.padding)
    private var firstPeak = 0

    /// Fetches the reference's peaks around a candidate, to pair with any alignment near it.
    ///
    /// - Parameters:
    ///   - peaks: the reference's peaks, by time.
    ///   - span: the frames of interest, counted from the candidate's reference frame.
    mutating func load(
        _ peaks: UnsafeBufferPointer<Peak>, around candidate: Candidate, span: ClosedRange<Float>
    ) {
        let middle = candidate.referenceFrame * FrequencyScale.steps
        let low = middle + Int(span.lowerBound * Float(FrequencyScale.steps))
        let high = middle + Int(span.upperBound * Float(FrequencyScale.steps))
        firstPeak = Self.firstIndex(in: peaks, at: low)
        times.removeAll(keepingCapacity: true)
        octaves.removeAll(keepingCapacity: true)
        FrequencyScale.table.withUnsafeBufferPointer { table in
            var index = firstPeak
            while index < peaks.count, Int(peaks[index].time) <= high {
                times.append(Float(Int(peaks[index].time) - middle) / Float(FrequencyScale.steps))
                octaves.append(table[Int(peaks[index].frequency)])
                index += 1
            }
        }
        times.append(contentsOf: repeatElement(.infinity, count: Self.padding))
        octaves.append(contentsOf: repeatElement(.infinity, count: Self.padding))
    }

    /// Lists all pairs within `reach` of the alignment.
    mutating func pair(_ query: QueryPeaks, queryFrame: Int, _ alignment: Alignment, _ reach: PairingReach) {
        pairs.removeAll(keepingCapacity: true)
        let slope = 1 + alignment.timeSkew
        let count = times.count - Self.padding
        var first = 0
        var end = 0
        times.withUnsafeBufferPointer { times in
            octaves.withUnsafeBufferPointer { octaves in
                guard let octaveBytes = UnsafeRawPointer(octaves.baseAddress) else { return }
                for index in 0..<query.count {
                    let u = query.frames.base[index] - Float(queryFrame)
                    let time = alignment.shift + slope * u
                    let window = reach.frames + reach.growth * abs(u)
                    while first < count, times[first] < time - window { first += 1 }
                    end = max(end, first)
                    while end < count, times[end] <= time + window { end += 1 }
                    let bins = query.bins.base[index]
                    let octave = query.octaves.base[index] - alignment.octaves
                    let tolerance = reach.bins * 1.442_695 / bins + reach.octaves
                    // Few are near in frequency: eight are looked at as one.
                    var block = first
                    while block < end {
                        let differences =
                            octave
                            - octaveBytes.loadUnaligned(fromByteOffset: 4 * block, as: SIMD8<Float>.self)
                        let beyond = differences * differences - tolerance * tolerance
                        let signs = unsafeBitCast(beyond, to: SIMD4<UInt64>.self)
                        if (signs[0] | signs[1] | signs[2] | signs[3]) & 0x8000_0000_8000_0000 != 0 {
                            for other in block..<min(block + 8, end) {
                                let difference = octave - octaves[other]
                                guard abs(difference) < tolerance else { continue }
                                pairs.append(
                                    PeakPair(
                                        query: Int32(index), reference: Int32(firstPeak + other), u: u,
                                        lateness: times[other] - time, octaves: difference, bins: bins))
                            }
                        }
                        block += 8
                    }
                }
            }
        }
    }

    /// Lends the reference peaks loaded: frames from the candidate's reference frame, octaves above one bin.
    func withReferencePeaks<R>(
        _ body: (_ frames: UnsafeBufferPointer<Float>, _ octaves: UnsafeBufferPointer<Float>) -> R
    ) -> R {
        let count = times.count - Self.padding
        return times.withUnsafeBufferPointer { times in
            octaves.withUnsafeBufferPointer { octaves in
                body(
                    UnsafeBufferPointer(rebasing: times[..<count]),
                    UnsafeBufferPointer(rebasing: octaves[..<count]))
            }
        }
    }

    private static func firstIndex(in peaks: UnsafeBufferPointer<Peak>, at time: Int) -> Int {
        var low = 0
        var high = peaks.count
        while low < high {
            let middle = (low + high) / 2
            if Int(peaks[middle].time) < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
