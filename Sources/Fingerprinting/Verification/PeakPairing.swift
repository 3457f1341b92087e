/// A query peak and a reference peak that are near each other in an alignment.
struct PeakPair: Sendable {
    var query: Int32
    var reference: Int32
    /// The query peak's time since the candidate's query frame, in frames.
    var u: Float
    /// How much later than predicted the reference peak is, in frames.
    var delay: Float
    /// log2 of query frequency over reference frequency, less the prediction.
    var octaves: Float
    /// The query peak's frequency in bins of its band.
    var bins: Float
    /// The place of the query peak's band.
    var band: Int32

    /// The frame of the query peak's band.
    @inline(__always)
    var frame: Float { Band.frames[Int(band)] }
}

/// The largest distance of a pair from its prediction.
struct PairingReach: Hashable, Sendable {
    /// Frames of the query peak's band.
    var bandFrames: Float = 0
    /// Additional frames, whatever the band.
    var frames: Float = 0
    /// Additional frames for each frame from the query's middle; below 0.9.
    var growth: Float = 0
    /// Bins of the query peak's band.
    var bins: Float
    /// Additional octaves.
    var octaves: Float = 0
}

/// Lists the pairs of near peaks of a query and of the part of a reference that it may match.
struct PeakPairing: Sendable {
    private(set) var pairs: [PeakPair] = []
    private var times: [Float] = []
    private var octaves: [Float] = []
    private var firstPeak = 0
    private var sorter = OctaveSorter()
    /// The sorted peaks that may be near each query peak in frequency.
    private var near: [Range<Int32>] = []

    /// Loads the reference's peaks around a candidate, to pair in any alignment near it.
    ///
    /// - Parameters:
    ///   - peaks: The reference's peaks, by time.
    ///   - span: The frames of interest, counted from the candidate's reference frame.
    mutating func load(
        _ peaks: UnsafeBufferPointer<Peak>, around candidate: Candidate, span: ClosedRange<Float>
    ) {
        let middle = candidate.referenceFrame * FrequencyScale.timeSteps
        let low = middle + Int(span.lowerBound * Float(FrequencyScale.timeSteps))
        let high = middle + Int(span.upperBound * Float(FrequencyScale.timeSteps))
        firstPeak = Self.firstIndex(in: peaks, at: low)
        times.removeAll(keepingCapacity: true)
        octaves.removeAll(keepingCapacity: true)
        FrequencyScale.table.withUnsafeBufferPointer { table in
            let end = max(firstPeak, Self.firstIndex(in: peaks, at: high + 1))
            let part = peaks[firstPeak..<end]
            times += part.map { Float(Int($0.time) - middle) / Float(FrequencyScale.timeSteps) }
            octaves += part.map { table[Int($0.frequency)] }
        }
        if times.count <= Self.mostSorted { sorter.sort(0..<times.count, times: times, octaves: octaves) }
    }

    /// Whether there is no peak to pair.
    var isEmpty: Bool { times.isEmpty }

    /// Longer parts of a reference are sorted piece by piece, as the query needs them.
    private static let mostSorted = 256
    /// The peaks of a query to a piece: some seconds.
    private static let piecePeaks = 128

    /// Lists all pairs of the query within `reach` of the alignment.
    mutating func pair(_ query: QueryPeaks, queryFrame: Int, _ alignment: Alignment, _ reach: PairingReach) {
        pair(query, 0..<query.count, queryFrame: queryFrame, alignment, reach)
    }

    /// Lists all pairs of a part of the query within `reach` of the alignment, in order of the query's peaks, then the
    /// reference's.
    ///
    /// Fewer peaks are near in frequency than in time, so it selects by frequency first.
    mutating func pair(
        _ query: QueryPeaks, _ part: Range<Int>, queryFrame: Int, _ alignment: Alignment,
        _ reach: PairingReach
    ) {
        // In pieces, so that neither time nor memory grows with the square of the query's length.
        pairs.removeAll(keepingCapacity: true)
        for start in stride(from: part.lowerBound, to: part.upperBound, by: Self.piecePeaks) {
            let piece = start..<min(start + Self.piecePeaks, part.upperBound)
            if times.count > Self.mostSorted {
                sortPeaks(near: query, piece, queryFrame: queryFrame, alignment, reach)
            }
            appendPairs(query, piece, queryFrame: queryFrame, alignment, reach)
        }
    }

    /// Sorts the reference's peaks that may be paired with a piece of the query.
    private mutating func sortPeaks(
        near query: QueryPeaks, _ piece: Range<Int>, queryFrame: Int, _ alignment: Alignment,
        _ reach: PairingReach
    ) {
        func time(_ index: Int) -> (middle: Float, window: Float) {
            let u = query.frames.base[index] - Float(queryFrame)
            let widest = reach.bandFrames * Band.longestFrame + reach.frames
            return (alignment.shift + (1 + alignment.timeSkew) * u, widest + reach.growth * abs(u))
        }
        let (first, last) = (time(piece.lowerBound), time(piece.upperBound - 1))
        let earliest = first.middle - max(first.window, last.window)
        let latest = last.middle + max(first.window, last.window)
        let start = times.partitioningIndex { $0 >= earliest }
        let end = max(start, times.partitioningIndex { $0 > latest })
        sorter.sort(start..<end, times: times, octaves: octaves)
    }

    private mutating func appendPairs(
        _ query: QueryPeaks, _ piece: Range<Int>, queryFrame: Int, _ alignment: Alignment,
        _ reach: PairingReach
    ) {
        if near.count < piece.count { near = [Range<Int32>](repeating: 0..<0, count: piece.count) }
        let first = Int32(firstPeak)
        let slope = 1 + alignment.timeSkew
        near.withUnsafeMutableBufferPointer { near in
            sorter.withPeaks { peaks, starts in
                var most = 0
                for index in piece {
                    let octave = query.octaves.base[index] - alignment.octaves
                    let tolerance =
                        reach.bins * NaturalLogarithmOf2.reciprocalSingle / query.bins.base[index]
                        + reach.octaves
                    let from = starts[OctaveSorter.bucket(of: octave - tolerance - 1e-5)]
                    let to = starts[OctaveSorter.bucket(of: octave + tolerance + 1e-5) + 1]
                    near[index - piece.lowerBound] = Range(uncheckedBounds: (from, to))
                    most += Int(to - from)
                }
                let found = [PeakPair](unsafeUninitializedCapacity: most) { found, count in
                    for index in piece where !near[index - piece.lowerBound].isEmpty {
                        let bins = query.bins.base[index]
                        let octave = query.octaves.base[index] - alignment.octaves
                        let tolerance =
                            reach.bins * NaturalLogarithmOf2.reciprocalSingle / bins + reach.octaves
                        let u = query.frames.base[index] - Float(queryFrame)
                        let time = alignment.shift + slope * u
                        let band = query.bands.base[index]
                        let window =
                            reach.bandFrames * Band.frames[Int(band)] + reach.frames + reach.growth * abs(u)
                        let earliest = time - window
                        let latest = time + window
                        let firstFound = count
                        let places = near[index - piece.lowerBound]
                        for place in places.lowerBound..<places.upperBound {
                            let peak = peaks[Int(place)]
                            // Always written and kept if near: half of them are, which is hard to predict.
                            found[count].reference = place
                            let isInTime = (peak.frames >= earliest ? 1 : 0) & (peak.frames <= latest ? 1 : 0)
                            count &+= isInTime & (abs(octave - peak.octaves) < tolerance ? 1 : 0)
                        }
                        for pair in firstFound..<count {
                            let peak = peaks[Int(found[pair].reference)]
                            found[pair] = PeakPair(
                                query: Int32(index), reference: first &+ peak.place, u: u,
                                delay: peak.frames - time, octaves: octave - peak.octaves, bins: bins,
                                band: Int32(band))
                        }
                        if count - firstFound > 1 { Self.sort(found, firstFound..<count) }
                    }
                }
                pairs += found
            }
        }
    }

    /// Sorts a few pairs of one query peak by the reference's peaks.
    private static func sort(_ pairs: UnsafeMutableBufferPointer<PeakPair>, _ range: Range<Int>) {
        for place in range.dropFirst() {
            var place = place
            while place > range.lowerBound, pairs[place - 1].reference > pairs[place].reference {
                pairs.swapAt(place, place - 1)
                place -= 1
            }
        }
    }

    /// Passes the loaded peaks: frames since the candidate's reference frame, octaves above one bin.
    func withReferencePeaks<R>(
        _ body: (_ frames: UnsafeBufferPointer<Float>, _ octaves: UnsafeBufferPointer<Float>) -> R
    ) -> R {
        times.withUnsafeBufferPointer { times in
            octaves.withUnsafeBufferPointer { octaves in body(times, octaves) }
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
