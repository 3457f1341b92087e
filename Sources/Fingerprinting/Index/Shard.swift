/// Adjacent references of a catalog, with a timeline and an index of their own.
///
/// One index counts its postings in 32 bits, and their times in 29. So a catalog of more than 19,000 h has several.
struct Shard: Sendable {
    /// The indices of its references.
    let places: Range<Int>
    let timeline: Timeline
    let index: PairIndex

    /// The frame of its timeline at which a reference starts; `places.upperBound` is the end.
    @inline(__always)
    func start(of place: Int) -> Int { timeline.start(of: place - places.lowerBound) }

    /// The reference to which a frame of its timeline belongs.
    func reference(at frame: Int) -> Int { places.lowerBound + timeline.reference(at: frame) }
}

/// What one shard holds at most.
package struct ShardLimit: Sendable {
    package let frames: Int
    package let peaks: Int

    package init(frames: Int, peaks: Int) {
        self.frames = frames
        self.peaks = peaks
    }
}

/// Places references one after the other on the timelines of shards.
///
/// Where a shard ends depends only on the references before it, so the same references always give the same file.
package struct ShardLayout {
    private let limit: ShardLimit
    private var peaks = 0
    private var count = 0
    /// The first reference of each shard.
    package private(set) var firsts = [0]
    /// The end of the last shard's timeline.
    private(set) var end = Timeline.margin

    package init(_ limit: ShardLimit) { self.limit = limit }

    /// Whether a reference has room in the last shard; the first one always has.
    func fits(span: Int, peaks: Int) -> Bool {
        count == firsts[firsts.count - 1]
            || end + span <= limit.frames && self.peaks + peaks <= limit.peaks
    }

    /// Places a reference in the last shard, or in a new one if it does not fit.
    ///
    /// - Parameters:
    ///   - span: The frames from its start to that of the next one, as `Timeline.span` gives them.
    ///   - peaks: The number of its peaks.
    /// - Returns: Its start, which is `Timeline.margin` in a new shard.
    package mutating func place(span: Int, peaks: Int) -> Int {
        if !fits(span: span, peaks: peaks) {
            firsts.append(count)
            end = Timeline.margin
            self.peaks = 0
        }
        count += 1
        self.peaks += peaks
        let start = end
        end += span
        return start
    }
}

extension Settings {
    /// As much as an index can count, when each peak starts as many pairs as it may.
    package var shardLimit: ShardLimit {
        ShardLimit(frames: Posting.mostFrames, peaks: Int(UInt32.max) / max(1, index.referencePairs))
    }
}
