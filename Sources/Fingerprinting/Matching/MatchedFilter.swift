import Glibc

/// Finds places of references by the query's whole spectrogram, without skew: a matched filter.
///
/// A crowd buries most peaks, so few pairs are left to vote. But the query still has more energy where the reference has
/// peaks. The filter sums the heights of the spectrogram at the reference's peaks, for every offset in steps of two
/// frames. Its time grows with the length of the query times that of the catalog.
struct MatchedFilter {
    /// The frames of the middle band in a step; a step is a whole number of frames of the low band, too.
    static let stepFrames = 2
    /// The units of the sums in one log2 of power: 16 s of peaks stay within 16 bits.
    static let unit: Float = 16
    private static let lanes = 16

    private let part: Range<Int>
    private let steps: Int
    /// The vectors of a column.
    private let vectors: Int
    /// Of each bin the heights, the last step first, in whole vectors.
    private var columns: [Int16] = []
    /// For each band the column of bin 0, if it had one, and the columns of its bins.
    private var bands: [(zeroColumn: Int, columns: Range<Int>)] = []

    /// Takes a part of the query, in frames of the middle band, from its spectrogram in each band.
    init(_ spectra: [SpectralContrast], part: Range<Int>) {
        self.part = part
        steps = part.count / Self.stepFrames
        vectors = (steps + Self.lanes - 1) / Self.lanes
        for band in Band.all {
            let lowBin = max(1, Int(band.hertz.lowerBound / band.binHertz))
            let highBin = Int(min(band.hertz.upperBound / band.binHertz, Double(band.rowBins - 2))) + 1
            let first = columns.count / max(1, vectors * Self.lanes)
            bands.append((first - lowBin, first..<first + highBin + 1 - lowBin))
            let step = Float(Self.stepFrames) / band.frame
            append(
                spectra[band.place].rowHeights(
                    bins: lowBin..<highBin + 1, from: Float(part.lowerBound) / band.frame, step: step,
                    count: steps), bins: highBin + 1 - lowBin)
        }
    }

    /// Appends the columns of a band from its rows of heights, less the mean of each bin: a lasting tone does not count.
    private mutating func append(_ rows: [Float], bins: Int) {
        let first = columns.count
        let length = vectors * Self.lanes
        columns.append(contentsOf: repeatElement(0, count: bins * length))
        columns.withUnsafeMutableBufferPointer { columns in
            rows.withUnsafeBufferPointer { rows in
                var means = [Float](repeating: 0, count: bins)
                for step in 0..<steps {
                    for bin in 0..<bins { means[bin] += rows[step * bins + bin] }
                }
                let share = 1 / Float(max(1, steps))
                // Sixteen columns at a time: their rows are neighbours in memory.
                for start in stride(from: 0, to: bins, by: Self.lanes) {
                    for bin in start..<min(start + Self.lanes, bins) {
                        let mean = means[bin] * share
                        let last = first + bin * length + steps - 1
                        for step in 0..<steps {
                            let height = (rows[step * bins + bin] - mean) * Self.unit
                            // Rounds as `rounded()` does, without a call.
                            columns[last - step] = Int16(height + (height < 0 ? -0.5 : 0.5))
                        }
                    }
                }
            }
        }
    }

    /// Adds the places of all references with the largest sums to the best so far.
    ///
    /// Uses peaks of the references that fewer than `ranks` neighbours outrank.
    func find(in store: PeakStore, ranks: Int, _ best: inout Best) {
        var peaks: [Peak] = []
        var sums: [Int16] = []
        for reference in 0..<store.table.count {
            store.peaks(of: reference, into: &peaks)
            guard let last = peaks.last else { continue }
            // A file may lie about the times of peaks or about the length of a reference.
            let seconds = store.table.recording(reference).durationSeconds
            let frames = min(Double(last.frames), seconds / FrequencyScale.frameSeconds)
            let end = Int(frames) / Self.stepFrames + 1
            // Place i of the sums is an offset of i − steps; a whole vector is added beyond the last.
            let count = end + steps + 2 * Self.lanes
            sums.removeAll(keepingCapacity: true)
            sums.append(contentsOf: repeatElement(0, count: count / Self.lanes * Self.lanes + Self.lanes))
            add(peaks, ranks: ranks, before: end, to: &sums)
            best.add(sums) { place in
                Candidate(
                    reference: reference,
                    referenceFrame: (place - steps) * Self.stepFrames + part.count / 2,
                    queryFrame: part.lowerBound + part.count / 2, octaves: 0, votes: 0)
            }
        }
    }

    /// Adds the column of each peak's bin at the offsets that put the query's steps there.
    private func add(_ peaks: [Peak], ranks: Int, before end: Int, to sums: inout [Int16]) {
        let bytes = 2 * Self.lanes * vectors
        let binSteps = Band.all.map { Int(Float(FrequencyScale.frequencySteps) * $0.bin) }
        sums.withUnsafeMutableBytes { sums in
            columns.withUnsafeBytes { columns in
                guard let sums = sums.baseAddress, let columns = columns.baseAddress else { return }
                for peak in peaks where peak.rank < ranks {
                    let place = Band.place(of: peak.frequency)
                    let bin = (Int(peak.frequency) + binSteps[place] / 2) / binSteps[place]
                    let column = bands[place].zeroColumn + bin
                    let step = Int(peak.time) / (Self.stepFrames * FrequencyScale.timeSteps)
                    guard bands[place].columns.contains(column), step < end else { continue }
                    let source = columns + bytes * column
                    let target = sums + 2 * (step + 1)
                    var byte = 0
                    while byte < bytes {
                        let sum =
                            (target + byte).loadUnaligned(as: SIMD16<Int16>.self)
                            &+ (source + byte).loadUnaligned(as: SIMD16<Int16>.self)
                        (target + byte).storeBytes(of: sum, as: SIMD16<Int16>.self)
                        byte &+= 2 &* Self.lanes
                    }
                }
            }
        }
    }

    /// Adds the heights of this part at a reference's peaks, where an alignment expects them and at other times.
    func add(_ peaks: [Peak], of candidate: Candidate, _ alignment: Alignment, to lobes: inout Sidelobes) {
        let slope = 1 / (1 + alignment.timeSkew)
        let start = Float(candidate.queryFrame - part.lowerBound)
        let referenceStart = Float(candidate.referenceFrame) + alignment.shift
        let ratio = exp2f(alignment.octaves)
        let length = vectors * Self.lanes
        columns.withUnsafeBufferPointer { columns in
            for peak in peaks {
                let place = Band.place(of: peak.frequency)
                let bin = Int(bounded: (peak.bins * ratio / Band.all[place].bin).rounded())
                let column = bands[place].zeroColumn + bin
                guard bands[place].columns.contains(column) else { continue }
                let frame = start + (peak.frames - referenceStart) * slope
                // A column has the last step first, so its heights are in the order of the places.
                let step = Int(bounded: (frame / Float(Self.stepFrames)).rounded(.down))
                let first = steps - 1 - step - Sidelobes.reach
                let range = (-first..<steps - first).clamped(to: Sidelobes.places)
                guard !range.isEmpty else { continue }
                let source = column * length + first
                lobes.add(
                    UnsafeBufferPointer(
                        rebasing: columns[source + range.lowerBound..<source + range.upperBound]), at: range)
            }
        }
    }

    /// The places with the largest sums, best first, at most one within two steps of another.
    struct Best {
        private let most: Int
        private var sums: [Int16] = []
        private(set) var candidates: [Candidate] = []

        init(most: Int) { self.most = most }

        /// Adds the sums of a reference, whole vectors of them, each at its place.
        mutating func add(_ added: [Int16], candidate: (_ place: Int) -> Candidate) {
            added.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: added.count, by: lanes) {
                    let vector = bytes.loadUnaligned(fromByteOffset: 2 * start, as: SIMD16<Int16>.self)
                    guard any(vector .> least) else { continue }
                    for lane in 0..<lanes where vector[lane] > least {
                        add(vector[lane], candidate(start + lane))
                    }
                }
            }
        }

        private var least: Int16 { sums.count < most ? 0 : sums[most - 1] }

        private mutating func add(_ sum: Int16, _ candidate: Candidate) {
            let near = candidates.firstIndex { $0.isNear(candidate, frames: 2 * stepFrames) }
            if let near {
                guard sum > sums[near] else { return }
                sums.remove(at: near)
                candidates.remove(at: near)
            }
            let place = sums.firstIndex { $0 < sum } ?? sums.count
            sums.insert(sum, at: place)
            candidates.insert(candidate, at: place)
            if sums.count > most {
                sums.removeLast()
                candidates.removeLast()
            }
        }
    }
}

extension Candidate {
    /// Whether another candidate has nearly the same offset in the same reference.
    fileprivate func isNear(_ other: Candidate, frames: Int) -> Bool {
        reference == other.reference
            && abs(referenceFrame - queryFrame - other.referenceFrame + other.queryFrame) <= frames
    }
}
