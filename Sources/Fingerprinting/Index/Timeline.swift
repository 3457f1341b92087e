/// Lays all references end to end on one axis of frames, so that one number says reference and time.
///
/// Between two references there is room for a query that hangs over the end of either:
/// every frame belongs to exactly one reference.
struct Timeline: Sendable {
    /// Frames of room on each side of a reference: half the longest part of a query that votes, and skew.
    static let margin = 272
    /// Starts are multiples of this, the width of a vote's cell.
    static let cellFrames = 8

    /// The frame at which each reference starts; one more marks the end of all.
    let starts: [Int]

    /// Lays out references of the given lengths in frames.
    init(lengths: [Int]) {
        var starts: [Int] = []
        starts.reserveCapacity(lengths.count + 1)
        var start = Self.margin
        for length in lengths {
            starts.append(start)
            start += length + 2 * Self.margin
            start = (start + Self.cellFrames - 1) / Self.cellFrames * Self.cellFrames
        }
        starts.append(start)
        self.starts = starts
    }

    /// The number of cells on the axis.
    var cellCount: Int { (starts.last ?? 0) / Self.cellFrames + 1 }

    /// The reference that `frame` belongs to.
    func reference(at frame: Int) -> Int {
        var low = 0
        var high = starts.count - 1
        while low + 1 < high {
            let middle = (low + high) / 2
            if starts[middle] - Self.margin <= frame { low = middle } else { high = middle }
        }
        return low
    }
}
