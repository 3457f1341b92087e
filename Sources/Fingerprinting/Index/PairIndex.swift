/// The inverted index of all pairs of all references: for each key a posting list, in order of time.
///
/// A row is all keys of one anchor bucket and one ratio. The index stores the first posting of each row. For each key
/// it stores the number of the row's postings up to the key's end, in as few bytes as the largest row allows.
struct PairIndex: Sendable {
    let keys: KeySpace
    /// The first posting of each row; one more marks the end of all.
    let rowStarts: FrozenArray<UInt32>
    /// For each key the number of its row's postings up to and including its own, in `cumulativeWidth` bytes,
    /// least significant first.
    let cumulative: FrozenArray<UInt8>
    /// Bytes to a number of `cumulative`: 1, 2 or 4.
    let cumulativeWidth: Int
    /// The posting lists of all keys, one after the other (see `Posting`).
    let postings: FrozenArray<UInt32>

    /// Takes the parts of a file, with any contents: wrong ones give wrong postings but do no harm.
    ///
    /// - Returns: Nil unless the parts have the sizes that `keys` needs.
    init?(
        keys: KeySpace, rowStarts: FrozenArray<UInt32>, cumulative: FrozenArray<UInt8>,
        cumulativeWidth: Int, postings: FrozenArray<UInt32>
    ) {
        guard rowStarts.count == keys.rowCount + 1, [1, 2, 4].contains(cumulativeWidth),
            cumulative.count == keys.keyCount * cumulativeWidth
        else { return nil }
        self.keys = keys
        self.rowStarts = rowStarts
        self.cumulative = cumulative
        self.cumulativeWidth = cumulativeWidth
        self.postings = postings
    }

    /// The postings of a row with time differences in a range of 1 … `KeySpace.differences` frames.
    @inline(__always)
    func postings(row: Int, differences: ClosedRange<Int>) -> Range<Int> {
        let key = row * keys.differences - 1
        let counts = (key + 1) * cumulativeWidth..<(key + 1 + keys.differences) * cumulativeWidth
        guard rowStarts.isIntact(row..<row + 1), cumulative.isIntact(counts) else { return 0..<0 }
        let start = Int(rowStarts.base[row])
        let before = differences.lowerBound > 1 ? count(through: key + differences.lowerBound - 1) : 0
        let through = count(through: key + differences.upperBound)
        let from = min(start + before, postings.count)
        return from..<max(from, min(start + through, postings.count))
    }

    /// The number of postings of a key's row up to and including its own, as the file states it.
    @inline(__always)
    func count(through key: Int) -> Int {
        let bytes = UnsafeRawPointer(cumulative.base)
        switch cumulativeWidth {
        case 1: return Int(cumulative.base[key])
        case 2:
            return Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * key, as: UInt16.self)))
        default:
            return Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * key, as: UInt32.self)))
        }
    }

    var byteCount: Int { rowStarts.count * 4 + cumulative.count + postings.count * 4 }

    /// Builds the index of all references of a timeline.
    ///
    /// It reads the peaks twice, first to count and then to store pairs, so that only the index itself takes memory.
    ///
    /// - Parameter load: Replaces the array by the peaks of a reference, in order of time.
    /// - Throws: `FingerprintingError` when there are more pairs than 32 bits can count.
    init(
        timeline: Timeline, settings: Settings, load: (_ reference: Int, _ into: inout [Peak]) -> Void
    ) throws {
        let keys = KeySpace(settings.index, analysis: settings.analysis)
        var pairs = ReferencePairs(keys: keys, settings: settings.index)
        var ends = [UInt32](repeating: 0, count: keys.keyCount)
        var total = 0
        try ends.withUnsafeMutableBufferPointer { ends in
            for reference in 0..<timeline.referenceCount {
                load(reference, &pairs.peaks)
                pairs.forEach(from: timeline.starts[reference]) { key, _ in
                    ends[key] += 1
                    total += 1
                }
                try Self.expectCountable(total)
            }
        }
        let rowStarts = Self.rowStarts(counts: ends, keys: keys)
        (cumulative, cumulativeWidth) = Self.cumulative(counts: ends, keys: keys)
        // From here on `ends` has the position of each key's next posting.
        var next: UInt32 = 0
        for key in ends.indices {
            let count = ends[key]
            ends[key] = next
            next += count
        }
        postings = FrozenArray(count: total) { postings in
            ends.withUnsafeMutableBufferPointer { ends in
                for reference in 0..<timeline.referenceCount {
                    load(reference, &pairs.peaks)
                    pairs.forEach(from: timeline.starts[reference]) { key, posting in
                        postings[Int(ends[key])] = posting
                        ends[key] += 1
                    }
                }
            }
        }
        self.keys = keys
        self.rowStarts = rowStarts
    }

    /// Throws when 32 bits cannot count the pairs.
    static func expectCountable(_ pairs: Int) throws {
        guard pairs <= Int(UInt32.max) else {
            throw FingerprintingError(
                .incompatibleSignature,
                "the references have more than \(UInt32.max) pairs of peaks: too many for one catalog")
        }
    }

    private static func rowStarts(counts: [UInt32], keys: KeySpace) -> FrozenArray<UInt32> {
        FrozenArray(count: keys.rowCount + 1) { starts in
            var sum: UInt32 = 0
            for row in 0..<keys.rowCount {
                starts[row] = sum
                for key in row * keys.differences..<(row + 1) * keys.differences { sum += counts[key] }
            }
            starts[keys.rowCount] = sum
        }
    }

    /// Bytes to a number of `cumulative` when the largest row has `largest` postings.
    static func cumulativeWidth(largest: UInt32) -> Int {
        largest <= UInt32(UInt8.max) ? 1 : largest <= UInt32(UInt16.max) ? 2 : 4
    }

    private static func cumulative(counts: [UInt32], keys: KeySpace) -> (FrozenArray<UInt8>, width: Int) {
        var sums = counts
        for key in sums.indices where key % keys.differences != 0 { sums[key] += sums[key - 1] }
        let largest = sums.max() ?? 0
        let width = cumulativeWidth(largest: largest)
        let bytes = FrozenArray<UInt8>(count: sums.count * width) { bytes in
            for (key, sum) in sums.enumerated() {
                for byte in 0..<width {
                    bytes[key * width + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * byte))
                }
            }
        }
        return (bytes, width)
    }
}

private struct ReferencePairs {
    /// The reference's peaks, in order of time.
    var peaks: [Peak] = []
    private let keys: KeySpace
    private var selections: [PairSelection]
    private var times: [UInt32] = []
    private var octaves: [Float] = []

    init(keys: KeySpace, settings: Settings.Index) {
        self.keys = keys
        selections = Band.all.map { PairSelection(settings, band: $0, most: settings.referencePairs) }
    }

    /// Passes the key and the posting of every pair, band by band, in order of the anchors' times.
    ///
    /// - Parameter start: The frame of the timeline at which the reference starts.
    mutating func forEach(from start: Int, _ body: (_ key: Int, _ posting: UInt32) -> Void) {
        for band in Band.all { forEach(of: band, from: start, body) }
    }

    private mutating func forEach(
        of band: Band, from start: Int, _ body: (_ key: Int, _ posting: UInt32) -> Void
    ) {
        times.removeAll(keepingCapacity: true)
        octaves.removeAll(keepingCapacity: true)
        FrequencyScale.table.withUnsafeBufferPointer { table in
            for peak in peaks where Band.place(of: peak.frequency) == band.place {
                times.append(peak.time)
                octaves.append(table[Int(peak.frequency)])
            }
        }
        let frameSteps = Int(band.frame * Float(FrequencyScale.timeSteps))
        times.withUnsafeBufferPointer { times in
            octaves.withUnsafeBufferPointer { octaves in
                for anchor in 0..<times.count {
                    let chosen = selections[band.place].select(anchor: anchor, times: times, octaves: octaves)
                    let time = times[anchor]
                    let octave = octaves[anchor]
                    let posting = Posting.make(
                        frame: start + Int(time) / FrequencyScale.timeSteps, step: keys.step(octaves: octave))
                    for choice in 0..<chosen {
                        let target = Int(selections[band.place].targets[choice])
                        let key = keys.key(
                            anchorOctaves: octave, ratioOctaves: octaves[target] - octave,
                            frames: Int(times[target] - time) / frameSteps, band: band.place)
                        if let key { body(key, posting) }
                    }
                }
            }
        }
    }
}
