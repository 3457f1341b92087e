internal import CKernels

/// Peaks of a query band by band, to find those that a peak of a reference may be paired with.
///
/// A query has several times the peaks of a reference, so it is searched once for each peak of the reference. Cells of
/// time tell which peaks are near in time, and eight of them are compared at once.
struct BandedPeaks: Sendable {
    /// The peaks that are compared at once.
    private static let lanes = 8

    private let query: QueryPeaks
    /// The indices of the query's peaks, band by band, with their frequencies and times.
    private let indices: FrozenArray<Int32>
    private let octaves: [Float]
    private let bins: [Float]
    private let frames: [Float]
    /// For each band, the place in `indices` of the first peak in a cell or later; two more than there are cells.
    private let starts: FrozenArray<Int32>
    private let cells: Int
    private let cellsPerFrame: Float
    private let firstFrame: Float
    /// Where partners are expected, in four rows: frequencies, the largest distances from them, first and last times.
    private var expected: [Float]
    /// The length of a row: `lanes` more than peaks.
    private let row: Int

    init(_ query: QueryPeaks) {
        func frame(_ index: Int) -> Int { Int(query.times.base[index]) / FrequencyScale.timeSteps }
        let first = query.count > 0 ? frame(0) : 0
        let length = query.count > 0 ? frame(query.count - 1) - first + 1 : 0
        // A cell is a frame, or longer where peaks are few.
        var shift = 0
        while length >> shift > min(4 * query.count + 256, 1 << 20) { shift += 1 }
        let cells = length >> shift + 1
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
        self.indices = FrozenArray(indices)
        self.starts = FrozenArray(starts)
        self.cells = cells
        cellsPerFrame = 1 / Float(1 << shift)
        firstFrame = Float(first)
        octaves = indices.map { query.octaves.base[Int($0)] }
        bins = indices.map { query.bins.base[Int($0)] }
        frames = indices.map { query.frames.base[Int($0)] }
        row = indices.count + Self.lanes
        expected = [Float](repeating: 0, count: 4 * row)
    }

    /// Whether these are the peaks of a query.
    func areOf(_ other: QueryPeaks) -> Bool { query.times === other.times }

    /// Finds all pairs of a part of the query and a reference that are near each other, in order of the reference's
    /// peaks.
    ///
    /// - Parameter pairs: Takes the pairs from its beginning on, and grows as needed.
    /// - Returns: How many pairs there are.
    mutating func find(
        _ part: Range<Int>, _ prediction: Prediction, times: [Float], octaves pitches: [Float],
        into pairs: inout [earshot_peak_pair]
    ) -> Int {
        guard let first = part.first, let last = part.last else { return 0 }
        let reach = prediction.reach
        // A quarter of a frame is more than any rounding.
        let widest =
            reach.frames + 0.25
            + reach.growth * max(abs(prediction.u(of: query, first)), abs(prediction.u(of: query, last)))
        let ends = reach.bandFrames * Band.longestFrame + widest
        let start = times.partitioningIndex { $0 >= prediction.time(of: query, first) - ends }
        let end = times.partitioningIndex { $0 > prediction.time(of: query, last) + ends }
        guard start < end else { return 0 }
        let perSlope = 1 / prediction.slope
        let firstFrame = prediction.queryFrame - firstFrame - prediction.alignment.shift * perSlope
        let places = each { self.places(of: part, band: $0) }
        predict(places.0, of: 0, prediction)
        predict(places.1, of: 1, prediction)
        predict(places.2, of: 2, prediction)
        predict(places.3, of: 3, prediction)
        let (indices, starts, cells, row) = (indices.base, starts.base, cells, row)
        let crossovers = Band.Crossovers()
        return expected.withUnsafeBufferPointer { expected in
            guard let expected = expected.baseAddress else { return 0 }
            var query = earshot_paired_query(
                indices: indices, octaves: expected, tolerances: expected + row,
                earliest: expected + 2 * row, latest: expected + 3 * row,
                starts: each { starts + $0 * (cells + 2) }, cells: Int32(cells),
                cells_per_frame: cellsPerFrame,
                first: (places.0.lower, places.1.lower, places.2.lower, places.3.lower),
                end: (places.0.upper, places.1.upper, places.2.upper, places.3.upper),
                reach: each { (reach.bandFrames * Band.all[$0].frame + widest) * perSlope },
                crossovers: (crossovers.bass, crossovers.low, crossovers.high),
                margin: prediction.octavesOutsideBand)
            var (peak, found) = (Int32(start), 0)
            while true {
                pairs.withUnsafeMutableBufferPointer { room in
                    guard let base = room.baseAddress else { return }
                    found += earshot_pair_peaks(
                        base + found, room.count - found, &peak, Int32(end), times, pitches, perSlope,
                        firstFrame, &query)
                }
                guard peak < end else { return found }
                pairs += repeatElement(earshot_peak_pair(), count: max(512, pairs.count))
            }
        }
    }

    /// The places in `indices` of a band's peaks in a part of the query.
    private func places(of part: Range<Int>, band: Int) -> Range<Int> {
        let firstCell = band * (cells + 2)
        let own = UnsafeBufferPointer(start: indices.base, count: indices.count)[
            Int(starts.base[firstCell])..<Int(starts.base[firstCell + cells + 1])]
        let low = own.partitioningIndex { $0 >= part.lowerBound }
        return low..<own.partitioningIndex { $0 >= part.upperBound }
    }

    private mutating func predict(_ places: Range<Int>, of band: Int, _ prediction: Prediction) {
        let skew = prediction.alignment.octaves
        let (bandBins, reach, row) = (prediction.bandBins, prediction.reach, row)
        let (shift, slope, middle) = (prediction.alignment.shift, prediction.slope, prediction.queryFrame)
        let width = reach.bandFrames * Band.all[band].frame + reach.frames
        expected.withUnsafeMutableBufferPointer { expected in
            octaves.withUnsafeBufferPointer { octaves in
                for place in places { expected[place] = octaves[place] - skew }
            }
            bins.withUnsafeBufferPointer { bins in
                for place in places { expected[row + place] = bandBins / bins[place] + reach.octaves }
            }
            frames.withUnsafeBufferPointer { frames in
                for place in places {
                    let u = frames[place] - middle
                    let time = shift + slope * u
                    let window = width + reach.growth * abs(u)
                    expected[2 * row + place] = time - window
                    expected[3 * row + place] = time + window
                }
            }
        }
    }
}

/// A value for each band, as C takes it.
private func each<T>(_ value: (Int) -> T) -> (T, T, T, T) { (value(0), value(1), value(2), value(3)) }

extension Range<Int> {
    fileprivate var lower: Int32 { Int32(truncatingIfNeeded: lowerBound) }
    fileprivate var upper: Int32 { Int32(truncatingIfNeeded: upperBound) }
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
}
