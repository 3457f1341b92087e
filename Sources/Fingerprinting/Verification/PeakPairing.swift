internal import CKernels

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
    var frame: Float { Band.frame(band) }
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
    private var firstPeak: Int32 = 0
    private var banded: BandedPeaks?
    /// Those of the latest pairs, and room for more.
    private var hits: [earshot_peak_pair] = []
    /// For each peak of the query, the place of its next pair.
    private var places: [Int32] = []

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
        let first = peaks.partitioningIndex { Int($0.time) >= low }
        let end = max(first, peaks.partitioningIndex { Int($0.time) > high })
        firstPeak = Int32(truncatingIfNeeded: first)
        times.removeAll(keepingCapacity: true)
        octaves.removeAll(keepingCapacity: true)
        FrequencyScale.table.withUnsafeBufferPointer { table in
            for peak in peaks[first..<end] {
                times.append(Float(Int(peak.time) - middle) / Float(FrequencyScale.timeSteps))
                octaves.append(table[Int(peak.frequency)])
            }
        }
    }

    /// Whether there is no peak to pair.
    var isEmpty: Bool { times.isEmpty }

    /// Lists all pairs of the query within `reach` of the alignment.
    mutating func pair(_ query: QueryPeaks, queryFrame: Int, _ alignment: Alignment, _ reach: PairingReach) {
        pair(query, 0..<query.count, queryFrame: queryFrame, alignment, reach)
    }

    /// Lists all pairs of a part of the query within `reach` of the alignment, in order of the query's peaks, then the
    /// reference's.
    mutating func pair(
        _ query: QueryPeaks, _ part: Range<Int>, queryFrame: Int, _ alignment: Alignment,
        _ reach: PairingReach
    ) {
        if banded?.areOf(query) != true { banded = BandedPeaks(query) }
        let prediction = Prediction(queryFrame: Float(queryFrame), alignment: alignment, reach: reach)
        let count = banded?.find(part, prediction, times: times, octaves: octaves, into: &hits) ?? 0
        places.removeAll(keepingCapacity: true)
        places.append(contentsOf: repeatElement(0, count: part.count + 1))
        for hit in hits[..<count] { places[Int(hit.query) - part.lowerBound + 1] += 1 }
        for place in places.indices.dropLast() { places[place + 1] += places[place] }
        pairs = [PeakPair](unsafeUninitializedCapacity: count) { pairs, initialized in
            for hit in hits[..<count] {
                let (index, reference) = (Int(hit.query), Int(hit.reference))
                let octave = query.octaves.base[index] - alignment.octaves
                pairs[Int(places[index - part.lowerBound])] = PeakPair(
                    query: hit.query, reference: firstPeak + hit.reference,
                    u: prediction.u(of: query, index),
                    delay: times[reference] - prediction.time(of: query, index),
                    octaves: octave - octaves[reference], bins: query.bins.base[index],
                    band: Int32(query.band(index)))
                places[index - part.lowerBound] += 1
            }
            initialized = count
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
}
