/// Merges the posting lists of several shards: for each key those of the first shard, then of the next.
///
/// A shard's references follow those of the previous shards, so each key's postings stay in order of time.
struct PostingMerge {
    private let sources: [[CatalogPart]]
    private let keys: KeySpace
    private(set) var counts: [UInt32]
    let total: Int

    /// Counts the postings of each key.
    ///
    /// - Throws: `FingerprintingError` when a file is damaged, or when there are too many for one index.
    init(_ sources: [[CatalogPart]], keys: KeySpace) throws {
        self.sources = sources.filter { !$0.isEmpty }
        self.keys = keys
        counts = [UInt32](repeating: 0, count: keys.keyCount)
        var total = 0
        for parts in self.sources {
            var counts = self.counts
            try Self.forEachRun(of: parts, keys: keys) { key, run in
                let count = try Self.count(run, of: parts)
                total += count
                try PairIndex.expectCountable(total)
                counts[key] += UInt32(count)
            }
            self.counts = counts
        }
        self.total = total
    }

    /// Passes the postings of all keys in order, piece by piece.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var cursors = try sources.map { try RunCursor($0[0].shard.index) }
        var scratch: [UInt32] = []
        for key in 0..<keys.keyCount {
            for source in cursors.indices {
                let run = try cursors[source].next(key)
                try Self.forEachPiece(run, of: sources[source], scratch: &scratch, body)
            }
        }
    }

    private static func forEachRun(
        of parts: [CatalogPart], keys: KeySpace, _ body: (Int, Range<Int>) throws -> Void
    ) throws {
        var cursor = try RunCursor(parts[0].shard.index)
        for key in 0..<keys.keyCount { try body(key, try cursor.next(key)) }
    }

    /// The number of a run's postings to copy.
    private static func count(_ run: Range<Int>, of parts: [CatalogPart]) throws -> Int {
        guard !isWhole(parts) else { return run.count }
        var scratch: [UInt32] = []
        var count = 0
        try forEachPiece(run, of: parts, scratch: &scratch) { count += $0.count / 4 }
        return count
    }

    private static func isWhole(_ parts: [CatalogPart]) -> Bool {
        parts.count == 1 && parts[0].places == parts[0].shard.places
    }

    /// Passes the postings of a run to copy, moved to the new timeline.
    private static func forEachPiece(
        _ run: Range<Int>, of parts: [CatalogPart], scratch: inout [UInt32],
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let postings = parts[0].shard.index.postings
        let pieceLength = 1 << 16
        var start = run.lowerBound
        while start < run.upperBound {
            let piece = start..<min(start + pieceLength, run.upperBound)
            guard postings.isIntact(piece) else {
                try postings.owner?.throwIfDamaged()
                return
            }
            if isWhole(parts), parts[0].shift == 0 {
                try body(postings.bytes(piece))
            } else {
                scratch.removeAll(keepingCapacity: true)
                move(postings, piece, of: parts, to: &scratch)
                guard !isWhole(parts) || scratch.count == piece.count else {
                    throw FingerprintingError(
                        .malformedFile,
                        "\(postings.owner?.name ?? "catalog"): byte \(postings.position(of: piece.lowerBound)):"
                            + " expected postings within the timeline")
                }
                try scratch.withUnsafeBytes(body)
            }
            start = piece.upperBound
        }
    }

    private static func move(
        _ postings: FrozenArray<UInt32>, _ piece: Range<Int>, of parts: [CatalogPart],
        to scratch: inout [UInt32]
    ) {
        var part = 0
        var frames = parts[0].frames
        for place in piece {
            let posting = postings[place]
            let frame = Int(posting >> 3) * Posting.frames
            while frame >= frames.upperBound, part + 1 < parts.count {
                part += 1
                frames = parts[part].frames
            }
            guard frames.contains(frame) else { continue }
            scratch.append(posting &+ UInt32(truncatingIfNeeded: parts[part].shift / Posting.frames) << 3)
        }
    }
}
