/// The references of a shard end to end on one axis of frames, so that one number identifies reference and time.
///
/// Between two references there is room for a query that reaches beyond the end of either. Every frame belongs to
/// exactly one reference.
struct Timeline: Sendable {
    /// Frames of room on each side of a reference: half the longest part of a query, and room for skew.
    static let margin = 272
    /// Starts are multiples of this, the width of a cell of the vote table.
    static let cellFrames = 8

    /// The frame at which each reference starts; one more marks the end of all.
    let starts: FrozenArray<UInt32>

    /// The frames from the start of a reference of this length to the start of the next one.
    static func span(length: Int) -> Int {
        (length + 2 * margin + cellFrames - 1) / cellFrames * cellFrames
    }

    var referenceCount: Int { starts.count - 1 }
    var end: Int { start(of: referenceCount) }
    var cellCount: Int { end / Self.cellFrames + 1 }

    @inline(__always)
    func start(of reference: Int) -> Int { Int(starts[reference]) }

    func reference(at frame: Int) -> Int {
        // These are few blocks: four bytes a reference.
        guard starts.isIntact(0..<starts.count) else { return 0 }
        return max(0, (0..<referenceCount).partitioningIndex { start(of: $0) - Self.margin > frame } - 1)
    }
}
