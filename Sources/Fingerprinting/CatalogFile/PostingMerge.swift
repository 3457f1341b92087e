/// Merges the posting lists of several shards: for each key those of the first shard, then of the next.
///
/// A shard's references follow those of the previous shards, so each key's postings stay in order of time.
struct PostingMerge {
    private let sources: [PostingSource]
    /// Where each key's merged list ends.
    let ends: ListEnds
    let total: Int

    /// Counts the postings of each key.
    ///
    /// - Throws: `FingerprintingError` when a file is damaged, or when there are too many for one index.
    init(_ sources: [[CatalogPart]], keys: KeySpace) throws {
        self.sources = sources.filter { !$0.isEmpty }.map(PostingSource.init)
        var lengths = [UInt32](
            repeating: 0, count: ListEnds.groupCount(keys: keys.keyCount) * ListEnds.keysPerGroup)
        var total = 0
        for source in self.sources {
            try lengths.withUnsafeMutableBufferPointer { try source.count(into: $0, total: &total) }
        }
        self.total = total
        ends = lengths.withUnsafeBufferPointer(ListEnds.init(lengths:))
    }

    /// Passes the postings of all keys in order, piece by piece.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        if sources.count == 1, sources[0].isUnchanged { return try sources[0].forEachPiece(body) }
        var cursors = sources.map { RunCursor($0.index) }
        let lists = FrozenArray(sources.map(\.lists))
        var piece = PostingPiece()
        let width = ListEnds.keysPerGroup + 1
        try withUnsafeTemporaryAllocation(of: Int.self, capacity: width * max(1, sources.count)) { ends in
            // A buffer that is not empty has an address.
            let ends = ends.baseAddress.unsafelyUnwrapped
            for _ in 0..<self.ends.groupCount {
                for source in sources.indices {
                    try cursors[source].next(ends + source * width)
                    try sources[source].index.postings.requireIntact(
                        ends[source * width]..<ends[(source + 1) * width - 1])
                }
                for key in 0..<ListEnds.keysPerGroup {
                    for source in 0..<lists.count {
                        let end = ends + source * width + key
                        guard end[0] < end[1] else { continue }
                        guard try lists.base[source].copy(end[0]..<end[1], to: &piece, body) else {
                            throw sources[source].index.postings.error(
                                at: end[0], expected: "postings within the timeline")
                        }
                    }
                }
            }
        }
        withExtendedLifetime(lists) {}
        try piece.pass(to: body)
    }
}

/// A shard of which parts are copied.
private struct PostingSource {
    let index: PairIndex
    private let parts: FrozenArray<MovedPart>
    private let isWhole: Bool

    init(_ parts: [CatalogPart]) {
        index = parts[0].shard.index
        isWhole = parts.count == 1 && parts[0].places == parts[0].shard.places
        self.parts = FrozenArray(parts.map(MovedPart.init))
    }

    /// Whether all postings stay as they are.
    var isUnchanged: Bool { isWhole && parts[0].shift == 0 }

    /// Its lists; valid as long as the source is.
    var lists: MovedLists {
        MovedLists(postings: index.postings.base, parts: parts.base, partCount: parts.count, isWhole: isWhole)
    }

    /// Adds the number of postings of each key.
    func count(into lengths: UnsafeMutableBufferPointer<UInt32>, total: inout Int) throws {
        var cursor = RunCursor(index)
        let lists = lists
        try withUnsafeTemporaryAllocation(of: Int.self, capacity: ListEnds.keysPerGroup + 1) { ends in
            let ends = ends.baseAddress.unsafelyUnwrapped
            for first in stride(from: 0, to: lengths.count, by: ListEnds.keysPerGroup) {
                try cursor.next(ends)
                if !isWhole { try index.postings.requireIntact(ends[0]..<ends[ListEnds.keysPerGroup]) }
                for key in 0..<ListEnds.keysPerGroup where ends[key] < ends[key + 1] {
                    let length = lists.count(ends[key]..<ends[key + 1])
                    total += length
                    lengths[first + key] &+= UInt32(truncatingIfNeeded: length)
                }
                try PairIndex.expectCountable(total)
            }
        }
    }

    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let postings = index.postings
        for start in stride(from: 0, to: postings.count, by: PostingPiece.capacity) {
            let piece = start..<min(start + PostingPiece.capacity, postings.count)
            try postings.requireIntact(piece)
            try body(postings.bytes(piece))
            postings.owner?.forget(postings.bytes(piece))
        }
    }
}

/// A part of a shard: a range of time in the unit of postings.
private struct MovedPart: BitwiseCopyable {
    let start: Int
    let end: Int
    /// What to add to each posting.
    let shift: UInt32

    init(_ part: CatalogPart) {
        start = part.frames.lowerBound / Posting.frames
        end = part.frames.upperBound / Posting.frames
        shift = UInt32(truncatingIfNeeded: part.shift / Posting.frames) << 3
    }
}

/// The posting lists of a shard, by pointers: merging visits millions of lists.
private struct MovedLists: BitwiseCopyable {
    let postings: UnsafePointer<UInt32>
    let parts: UnsafePointer<MovedPart>
    let partCount: Int
    /// Whether each posting belongs to a part.
    let isWhole: Bool

    /// The number of postings to copy of a list.
    func count(_ run: Range<Int>) -> Int {
        guard !isWhole else { return run.count }
        var count = 0
        forEach(in: run) { _ in count += 1 }
        return count
    }

    /// Copies the postings of a list; passes the piece on when it is full.
    ///
    /// - Returns: False when a posting belongs to no part although it should.
    @inline(__always)
    func copy(
        _ run: Range<Int>, to piece: inout PostingPiece, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        var count = 0
        try forEach(in: run) { posting in
            count += 1
            try piece.append(posting, body)
        }
        return !isWhole || count == run.count
    }

    /// Passes the postings of a list that belong to a part, at their new times.
    @inline(__always)
    private func forEach(in run: Range<Int>, _ body: (UInt32) throws -> Void) rethrows {
        var part = 0
        for place in run {
            let posting = postings[place]
            let time = Int(posting >> 3)
            while time >= parts[part].end, part + 1 < partCount { part += 1 }
            if time >= parts[part].start, time < parts[part].end { try body(posting &+ parts[part].shift) }
        }
    }
}

/// Collects postings to pass on many at a time.
private struct PostingPiece: ~Copyable {
    static let capacity = 1 << 16

    private let postings = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    private var count = 0

    deinit { postings.deallocate() }

    @inline(__always)
    mutating func append(_ posting: UInt32, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        if count == Self.capacity { try pass(to: body) }
        postings[count] = posting
        count += 1
    }

    mutating func pass(to body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try body(UnsafeRawBufferPointer(start: postings, count: 4 * count))
        count = 0
    }
}
