/// The latest rows of power of a stream.
struct RowRing: Sendable {
    private let capacity: Int
    private var rows: [Float]
    /// The number of all appended rows.
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        rows = [Float](repeating: 0, count: capacity * SpectrumRows.rowBins)
    }

    mutating func append(_ row: UnsafePointer<Float>) {
        rows.withUnsafeMutableBufferPointer { rows in
            guard let base = rows.baseAddress else { return }
            (base + count % capacity * SpectrumRows.rowBins).update(from: row, count: SpectrumRows.rowBins)
        }
        count += 1
    }

    /// The first row that is still stored.
    var firstKept: Int { max(0, count - capacity) }

    /// Passes the rows from `first` on that are still stored.
    func forEach(from first: Int, _ body: (UnsafePointer<Float>) -> Void) {
        rows.withUnsafeBufferPointer { rows in
            guard let base = rows.baseAddress else { return }
            for row in max(first, firstKept)..<count {
                body(base + row % capacity * SpectrumRows.rowBins)
            }
        }
    }
}
