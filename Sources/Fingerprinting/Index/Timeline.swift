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
    let starts: TimelineStarts

    init(starts: FrozenArray<UInt32>) { self.starts = TimelineStarts(values: starts) }

    /// The frames from the start of a reference of this length to the start of the next one.
    static func span(length: Int) -> Int {
        (length + 2 * margin + cellFrames - 1) / cellFrames * cellFrames
    }

    var referenceCount: Int { starts.count - 1 }
    var cellCount: Int { starts.end / Self.cellFrames + 1 }

    func reference(at frame: Int) -> Int {
        var low = 0
        var high = starts.count - 1
        // These are few blocks: four bytes a reference.
        guard starts.values.isIntact(0..<starts.count) else { return 0 }
        while low + 1 < high {
            let middle = (low + high) / 2
            if starts[middle] - Self.margin <= frame { low = middle } else { high = middle }
        }
        return low
    }
}

/// Frames of the timeline, held in 32 bits.
struct TimelineStarts: Sendable {
    let values: FrozenArray<UInt32>

    var count: Int { values.count }
    var end: Int { self[count - 1] }

    @inline(__always)
    subscript(place: Int) -> Int { Int(values[place]) }
}
