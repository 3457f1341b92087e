/// Peaks of a query band by band, to find those that a peak of a reference may be paired with.
///
/// A query has several times the peaks of a reference, so it is searched once for each peak of the reference. Cells of
/// time tell which peaks are near in time, and eight of them are compared in frequency at once.
struct BandedPeaks: Sendable {
    /// The peaks that are compared at once.
    private static let lanes = 8

    private let query: QueryPeaks
    /// The indices of the query's peaks, band by band, with their frequencies.
    private let indices: [Int32]
    private let octaves: [Float]
    private let bins: [Float]
    /// For each band, the place in `indices` of the first peak in a cell or later; two more than there are cells.
    private let starts: [Int32]
    private let cells: Int
    private let cellsPerFrame: Float
    private let firstFrame: Float
    /// The frequencies less the skew, and the largest distances from them; `lanes` more than peaks.
    private var predicted: [Float]
    private var tolerances: [Float]
    private var near: [NearPeaks]

    init(_ query: QueryPeaks) {
        func frame(_ index: Int) -> Int { Int(query.times.base[index]) / FrequencyScale.timeSteps }
        let first = query.count > 0 ? frame(0) : 0
        let frames = query.count > 0 ? frame(query.count - 1) - first + 1 : 0
        // A cell is a frame, or longer where peaks are few.
        var shift = 0
        while frames >> shift > min(4 * query.count + 256, 1 << 20) { shift += 1 }
        let cells = frames >> shift + 1
        var indices: [Int32] = []
        var starts: [Int32] = []
        for band in 0..<Band.count {
            var next = 0
            for index in 0..<query.count where query.band(index) == band {
                let cell = (frame(index) - first) >> shift
                starts += repeatElement(Int32(indices.count), count: max(0, cell + 1 - next))
                next = max(next, cell + 1)
                indices.append(Int32(index))
            }
            starts += repeatElement(Int32(indices.count), count: cells + 2 - next)
        }
        self.query = query
        self.indices = indices
        self.starts = starts
        self.cells = cells
        cellsPerFrame = 1 / Float(1 << shift)
        firstFrame = Float(first)
        octaves = indices.map { query.octaves.base[Int($0)] }
        bins = indices.map { query.bins.base[Int($0)] }
        predicted = [Float](repeating: 0, count: indices.count + Self.lanes)
        tolerances = predicted
        near = [NearPeaks](repeating: NearPeaks(), count: predicted.count + 1)
    }

    /// Whether these are the peaks of a query.
    func areOf(_ other: QueryPeaks) -> Bool { query.times === other.times }

    /// The index of a query peak, and the place of a peak of a reference.
    struct Hit {
        let query: Int32
        let reference: Int32
    }

    /// A vector of query peaks of which one is near a peak of the reference in frequency.
    private struct NearPeaks {
        var places: Range<Int32> = 0..<0
        var reference: Int32 = 0
    }

    /// The peaks of a band that are in a part of the query.
    private struct Scope {
        let places: Range<Int>
        let firstCell: Int
        /// The largest distance in time, in frames of the query.
        let width: Float
    }

    /// Replaces `hits` by all pairs of a part of the query and a reference that are near each other, in order of the
    /// reference's peaks.
    mutating func find(
        _ part: Range<Int>, _ prediction: Prediction, times: [Float], octaves pitches: [Float],
        into hits: inout [Hit]
    ) {
        hits.removeAll(keepingCapacity: true)
        guard let first = part.first, let last = part.last else { return }
        let reach = prediction.reach
        // A quarter of a frame is more than any rounding.
        let widest =
            reach.frames + 0.25
            + reach.growth * max(abs(prediction.u(of: query, first)), abs(prediction.u(of: query, last)))
        let ends = reach.bandFrames * Band.longestFrame + widest
        let start = times.partitioningIndex { $0 >= prediction.time(of: query, first) - ends }
        let end = times.partitioningIndex { $0 > prediction.time(of: query, last) + ends }
        guard start < end else { return }
        let perSlope = 1 / prediction.slope
        let shift = prediction.queryFrame - firstFrame - prediction.alignment.shift * perSlope
        withUnsafeTemporaryAllocation(of: Scope.self, capacity: Band.count) { scopes in
            for band in scopes.indices {
                let firstCell = band * (cells + 2)
                let own = indices[Int(starts[firstCell])..<Int(starts[firstCell + cells + 1])]
                let low = own.partitioningIndex { $0 >= part.lowerBound }
                let high = own.partitioningIndex { $0 >= part.upperBound }
                scopes.initializeElement(
                    at: band,
                    to: Scope(
                        places: low..<high, firstCell: firstCell,
                        width: (reach.bandFrames * Band.frames[band] + widest) * perSlope))
                predict(low..<high, prediction)
            }
            let bands = Band.Crossovers()
            let margin = prediction.octavesOutsideBand
            let frames = Float(cells) / cellsPerFrame
            let most = near.count - 1
            let (cells, cellsPerFrame, query) = (cells, cellsPerFrame, query)
            // The cell of a frame, or the one before at its edge; those outside are in the first or after the last.
            func cell(_ frame: Float) -> Int {
                // The lowest bits of a number near 2^23 are its whole part: quicker than a checked conversion.
                Int(
                    (min(Float(cells), max(0, frame * cellsPerFrame - 0.5)) + 0x1p23).bitPattern
                        & 0x7F_FFFF)
            }
            withLists { lists in
                var found = 0
                for place in start..<end {
                    let pitch = pitches[place]
                    let frame = times[place] * perSlope + shift
                    let lowest = bands.place(octaves: pitch - margin)
                    for band in lowest...bands.place(octaves: pitch + margin) {
                        let scope = scopes[band]
                        guard frame > -scope.width, frame < frames + scope.width else { continue }
                        let low = lists.starts[scope.firstCell &+ cell(frame - scope.width)]
                        let high = lists.starts[scope.firstCell &+ cell(frame + scope.width) &+ 1]
                        let range = Range(
                            uncheckedBounds: (
                                max(Int(low), scope.places.lowerBound),
                                min(Int(high), scope.places.upperBound)
                            ))
                        if found &+ range.count > most {
                            lists.append(found, prediction, query, times, pitches, to: &hits)
                            found = 0
                        }
                        found = lists.find(range, pitch, place: place, after: found)
                    }
                }
                lists.append(found, prediction, query, times, pitches, to: &hits)
            }
        }
    }

    private mutating func predict(_ places: Range<Int>, _ prediction: Prediction) {
        let skew = prediction.alignment.octaves
        let bandBins = prediction.bandBins
        octaves.withUnsafeBufferPointer { octaves in
            bins.withUnsafeBufferPointer { bins in
                predicted.withUnsafeMutableBufferPointer { predicted in
                    for place in places { predicted[place] = octaves[place] - skew }
                }
                tolerances.withUnsafeMutableBufferPointer { tolerances in
                    for place in places {
                        tolerances[place] = bandBins / bins[place] + prediction.reach.octaves
                    }
                }
            }
        }
    }

    private struct Lists {
        let indices: UnsafePointer<Int32>
        let starts: UnsafePointer<Int32>
        let predicted: UnsafePointer<Float>
        let tolerances: UnsafePointer<Float>
        let near: UnsafeMutablePointer<NearPeaks>

        /// Lists the vectors among some peaks with one near a frequency.
        ///
        /// Always written and kept if near, which is hard to predict.
        ///
        /// - Returns: The number of vectors in the list, of which `count` were there before.
        @inline(__always)
        func find(_ places: Range<Int>, _ pitch: Float, place: Int, after count: Int) -> Int {
            var count = count
            var start = places.lowerBound
            while start < places.upperBound {
                let octaves = UnsafeRawPointer(predicted + start).loadUnaligned(as: SIMD8<Float>.self)
                let tolerance = UnsafeRawPointer(tolerances + start).loadUnaligned(as: SIMD8<Float>.self)
                let distance = unsafeBitCast(
                    unsafeBitCast(octaves - pitch, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF,
                    to: SIMD8<Float>.self)
                let isNear = unsafeBitCast(distance .< tolerance, to: SIMD4<UInt64>.self)
                let end = start &+ BandedPeaks.lanes
                near[count].places = Range(
                    uncheckedBounds: (
                        Int32(truncatingIfNeeded: start),
                        Int32(truncatingIfNeeded: min(end, places.upperBound))
                    ))
                near[count].reference = Int32(truncatingIfNeeded: place)
                count &+= isNear[0] | isNear[1] | isNear[2] | isNear[3] != 0 ? 1 : 0
                start = end
            }
            return count
        }

        /// Appends the pairs in the listed vectors.
        func append(
            _ count: Int, _ prediction: Prediction, _ query: QueryPeaks, _ times: [Float],
            _ pitches: [Float], to hits: inout [Hit]
        ) {
            for vector in UnsafeBufferPointer(start: near, count: count) {
                let (time, pitch) = (times[Int(vector.reference)], pitches[Int(vector.reference)])
                for place in Int(vector.places.lowerBound)..<Int(vector.places.upperBound)
                where abs(predicted[place] - pitch) < tolerances[place] {
                    if prediction.includes(time, at: query, Int(indices[place])) {
                        hits.append(Hit(query: indices[place], reference: vector.reference))
                    }
                }
            }
        }
    }

    @inline(__always)
    private mutating func withLists(_ body: (Lists) -> Void) {
        indices.withUnsafeBufferPointer { indices in
            starts.withUnsafeBufferPointer { starts in
                predicted.withUnsafeBufferPointer { predicted in
                    tolerances.withUnsafeBufferPointer { tolerances in
                        near.withUnsafeMutableBufferPointer { near in
                            guard let indices = indices.baseAddress, let starts = starts.baseAddress,
                                let predicted = predicted.baseAddress,
                                let tolerances = tolerances.baseAddress, let near = near.baseAddress
                            else { return }
                            body(
                                Lists(
                                    indices: indices, starts: starts, predicted: predicted,
                                    tolerances: tolerances, near: near))
                        }
                    }
                }
            }
        }
    }
}

/// Where peaks of a reference are predicted from those of a query.
struct Prediction {
    let queryFrame: Float
    let alignment: Alignment
    let reach: PairingReach

    @inline(__always)
    var slope: Float { 1 + alignment.timeSkew }

    /// The numerator of a tolerance in octaves, whose denominator is the frequency in bins.
    var bandBins: Float { reach.bins * NaturalLogarithmOf2.reciprocalSingle }

    /// How far outside its band a query peak may have a partner, in octaves.
    ///
    /// The longest way is that of a peak at the lower edge of the low band, 37.4 bins. Tolerances of lower peaks are
    /// larger, but less so than they are below the edge of the bass.
    var octavesOutsideBand: Float { abs(alignment.octaves) + reach.octaves + bandBins / 37 }

    /// The frames from `queryFrame` to a query peak.
    @inline(__always)
    func u(of query: QueryPeaks, _ index: Int) -> Float { query.frames.base[index] - queryFrame }

    @inline(__always)
    func time(of query: QueryPeaks, _ index: Int) -> Float {
        alignment.shift + slope * u(of: query, index)
    }

    /// Whether a time is within reach of a query peak.
    @inline(__always)
    func includes(_ time: Float, at query: QueryPeaks, _ index: Int) -> Bool {
        let predicted = self.time(of: query, index)
        let window =
            reach.bandFrames * Band.frames[query.band(index)] + reach.frames
            + reach.growth * abs(u(of: query, index))
        return time >= predicted - window && time <= predicted + window
    }
}
