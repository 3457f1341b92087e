import AudioCore

/// The inverted index of all pairs of all references: for each key a posting list, in order of time.
///
/// Its parts may be those of a file, with any contents: wrong ones give wrong postings but do no harm.
struct PairIndex: Sendable {
    let keys: KeySpace
    /// Where each key's posting list ends, with as many groups as `keys` needs.
    let ends: ListEnds
    /// The posting lists of all keys, one after the other (see `Posting`).
    let postings: FrozenArray<UInt32>

    /// Passes the postings of each row, if any, with time differences in a range of 1 … `KeySpace.differences` frames.
    @inline(__always)
    func forEachRun(
        rows: ClosedRange<Int>, differences: ClosedRange<Int>, _ body: (Range<Int>) -> Void
    ) {
        ends.forEachRun(
            rows: rows, width: keys.differences, places: differences.lowerBound - 1..<differences.upperBound,
            limit: postings.count, body)
    }

    var byteCount: Int { ends.byteCount + postings.count * 4 }
}

extension PairIndex {
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
                pairs.forEach(from: timeline.start(of: reference)) { key, _ in
                    ends[key] += 1
                    total += 1
                }
                try Self.expectCountable(total)
            }
        }
        let listEnds = ends.withUnsafeBufferPointer(ListEnds.init(lengths:))
        // From here on `ends` has the position of each key's next posting.
        var next: UInt32 = 0
        for key in ends.indices {
            let count = ends[key]
            ends[key] = next
            next += count
        }
        let postings = FrozenArray<UInt32>(count: total) { postings in
            ends.withUnsafeMutableBufferPointer { ends in
                for reference in 0..<timeline.referenceCount {
                    load(reference, &pairs.peaks)
                    pairs.forEach(from: timeline.start(of: reference)) { key, posting in
                        postings[Int(ends[key])] = posting
                        ends[key] += 1
                    }
                }
            }
        }
        self.init(keys: keys, ends: listEnds, postings: postings)
    }

    /// Throws when 32 bits cannot count the pairs.
    static func expectCountable(_ pairs: Int) throws {
        guard pairs <= Int(UInt32.max) else {
            throw FingerprintingError(
                .incompatibleSignature,
                "the references have more than \(UInt32.max) pairs of peaks: too many for one catalog")
        }
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
        let frameSteps = Int(bounded: band.frame * Float(FrequencyScale.timeSteps))
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
