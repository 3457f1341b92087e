import AudioCore

/// The latest rows of a stream, from which the peaks of any part are picked.
///
/// A row's local maxima and its sums for the envelope are the same in every part that holds the row, so they are worked
/// out once. Only what depends on the ends of a part is worked out for each: the envelope there, and the ranks.
package struct PeakWindow: Sendable {
    private let empty: PeakPicker
    private var bands: [BandWindow]

    /// Stores at least `seconds` of rows; the other parameters are those of ``PeakPicker``.
    package init(
        _ settings: Settings.Analysis, inputRate: Int, keptRanks: Int, keptFrames: Int, seconds: Double
    ) {
        let empty = PeakPicker(settings, inputRate: inputRate, keptRanks: keptRanks, keptFrames: keptFrames)
        self.empty = empty
        bands = Band.all.map { band in
            BandWindow(
                band, empty: empty.pickers[band.place],
                capacity: Int(bounded: seconds / (settings.frameSeconds * Double(band.frame))) + 8)
        }
    }

    package mutating func append(row: UnsafePointer<Float>, of band: Band) {
        bands[band.place].append(row: row)
    }

    /// The number of rows of a band so far.
    package func rowCount(of band: Band) -> Int { bands[band.place].rows.count }

    /// The oldest stored row of a band.
    package func firstKept(of band: Band) -> Int { bands[band.place].rows.firstKept }

    /// The finished picker of the rows since `frame`, which must be stored, and of `last` rows of each band after them.
    package func picker(since frame: Int, last: [[Float]]) -> PeakPicker {
        var picker = empty
        for band in Band.all {
            picker.pickers[band.place] = bands[band.place].picker(
                from: Int(bounded: Double(frame) / Double(band.frame)), last: last[band.place])
        }
        picker.finish()
        return picker
    }
}

/// The latest rows of a band, and what is known of each.
private struct BandWindow: Sendable {
    private let band: Band
    private let empty: BandPicker
    private(set) var rows: RowRing<Float>
    private var sums: RowRing<Int32>
    private var finder: CandidateFinder
    /// The local maxima by frame; frames count from the row `origin`.
    private var candidates: [CandidatePeak] = []
    private var origin = 0

    init(_ band: Band, empty: BandPicker, capacity: Int) {
        self.band = band
        self.empty = empty
        rows = RowRing(capacity: capacity, width: band.rowBins, zero: 0)
        sums = RowRing(capacity: capacity, width: empty.envelope.groups, zero: 0)
        finder = empty.finder
    }

    mutating func append(row: UnsafePointer<Float>) {
        rows.append { $0.update(from: row, count: band.rowBins) }
        sums.append { empty.envelope.sum(row: row, to: $0) }
        finder.append(row: row, to: &candidates)
        if rows.count.isMultiple(of: rows.capacity) { dropOld() }
    }

    /// Drops the maxima of rows that are no longer stored; frames then count from a later row, so that they stay small.
    private mutating func dropOld() {
        let dropped = finder.forget(rows: rows.firstKept - origin)
        origin += dropped
        candidates.removeAll { $0.frame <= dropped }
        for place in candidates.indices { candidates[place].move(earlierBy: dropped, in: band) }
    }

    /// The picker of the rows from `first` on and of `last` rows after them.
    func picker(from first: Int, last: [Float]) -> BandPicker {
        last.withUnsafeBufferPointer { last in
            let ending = stride(
                from: max(first - rows.count, 0) * band.rowBins, to: last.count, by: band.rowBins
            ).compactMap { start in last.baseAddress.map { $0 + start } }
            var picker = empty
            let first = max(first, rows.firstKept)
            if rows.count - first < Self.openingRows {
                rows.forEach(from: first) { picker.append(row: $1) }
                for row in ending { picker.append(row: row) }
            } else {
                picker.expect(candidates(from: first, ending: ending))
                rows.forEach(from: first) { number, row in
                    sums.with(number) { picker.append(expected: row, sums: $0) }
                }
                for row in ending { picker.append(expected: row) }
            }
            return picker
        }
    }

    /// The rows that decide the first maxima of a part: before them the stream has rows, and the part has none.
    private static let openingRows = 4

    /// The maxima of the rows from `first` on and of `ending`.
    private func candidates(from first: Int, ending: [UnsafePointer<Float>]) -> [CandidatePeak] {
        var found: [CandidatePeak] = []
        var opening = empty.finder
        for row in first..<(first + Self.openingRows) {
            rows.with(row) { opening.append(row: $0, to: &found) }
        }
        var known = candidates
        var finder = finder
        for row in ending { finder.append(row: row, to: &known) }
        finder.finish(to: &known)
        let start = first - origin
        for var candidate in known where candidate.frame >= start + Self.openingRows - 2 {
            candidate.move(earlierBy: start, in: band)
            found.append(candidate)
        }
        return found
    }
}

/// The latest rows of a fixed width.
private struct RowRing<Element: BitwiseCopyable & Sendable>: Sendable {
    let capacity: Int
    private let width: Int
    private var elements: [Element]
    private(set) var count = 0

    init(capacity: Int, width: Int, zero: Element) {
        self.capacity = capacity
        self.width = width
        elements = [Element](repeating: zero, count: capacity * width)
    }

    var firstKept: Int { max(0, count - capacity) }

    /// Adds a row, which `fill` writes.
    mutating func append(_ fill: (UnsafeMutablePointer<Element>) -> Void) {
        elements.withUnsafeMutableBufferPointer { elements in
            if let base = elements.baseAddress { fill(base + count % capacity * width) }
        }
        count += 1
    }

    func with(_ row: Int, _ body: (UnsafePointer<Element>) -> Void) {
        elements.withUnsafeBufferPointer { elements in
            if let base = elements.baseAddress { body(base + row % capacity * width) }
        }
    }

    /// Lends the stored rows from `first` on, with their numbers.
    func forEach(from first: Int, _ body: (Int, UnsafePointer<Element>) -> Void) {
        for row in stride(from: first, to: count, by: 1) { with(row) { body(row, $0) } }
    }
}
