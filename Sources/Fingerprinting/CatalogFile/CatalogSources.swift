/// Adjacent references of a catalog, to copy to a new catalog unchanged.
struct CatalogPart {
    let contents: CatalogContents
    /// The shard of that catalog that holds them.
    let shard: Shard
    /// Their indices in that catalog; at least one.
    let places: Range<Int>
    /// Their start on the new timeline less that on the old one, in frames; a multiple of the timeline's cells.
    let shift: Int

    /// Their range in a section of that catalog.
    func range(_ column: ReferenceTable.Column) -> Range<Int> {
        let rows = contents.table.rows
        let first = places.lowerBound * ReferenceTable.width + column.rawValue
        let end = places.upperBound * ReferenceTable.width + column.rawValue
        return Int(rows[first])..<Int(rows[end])
    }

    /// Their range of that catalog's timeline, with half of the room to their neighbours.
    var frames: Range<Int> {
        let start = shard.start(of: places.lowerBound)
        let end = shard.start(of: places.upperBound)
        return (start - Timeline.margin)..<(end - Timeline.margin)
    }
}

/// The references of a new shard: those to copy from each shard of other catalogs.
struct ShardSources {
    /// The parts of one shard together.
    fileprivate(set) var sources: [[CatalogPart]] = []
    /// The number of frames on the new timeline.
    fileprivate(set) var endFrame = Timeline.margin

    var parts: [CatalogPart] { sources.flatMap { $0 } }
}

/// The catalogs of which a new one is made, and the references to copy from each.
struct CatalogSources {
    private(set) var shards: [ShardSources] = [ShardSources()]
    /// The first new index of each shard.
    private(set) var firsts: [Int] = []
    private(set) var count = 0
    private(set) var totalSeconds = 0.0

    /// Takes the references of each catalog, except those that `removed` lists for it.
    ///
    /// - Throws: `FingerprintingError` when a file's table of references is malformed.
    init(_ catalogs: [CatalogContents], removed: [[Int]] = [], limit: ShardLimit) throws {
        var layout = ShardLayout(limit)
        for (number, contents) in catalogs.enumerated() {
            try CatalogCheck(contents: contents).checkRows()
            let runs = Self.runs(contents.table.count, without: number < removed.count ? removed[number] : [])
            for shard in contents.shards {
                var parts: [CatalogPart] = []
                for run in runs {
                    var rest = run.clamped(to: shard.places)
                    while let part = place(&rest, of: shard, in: contents, &layout) {
                        // A new shard begins with this part.
                        if layout.firsts.count > shards.count {
                            shards[shards.count - 1].sources.append(parts)
                            parts = []
                            shards.append(ShardSources())
                        }
                        parts.append(part)
                        shards[shards.count - 1].endFrame = layout.end
                    }
                }
                shards[shards.count - 1].sources.append(parts)
            }
        }
        firsts = layout.firsts
    }

    var parts: [CatalogPart] { shards.flatMap(\.parts) }

    /// Takes the references from `rest` that fit the same new shard; nil if none is left.
    private mutating func place(
        _ rest: inout Range<Int>, of shard: Shard, in contents: CatalogContents, _ layout: inout ShardLayout
    ) -> CatalogPart? {
        guard let first = rest.first else { return nil }
        var start = 0
        var next = first
        while next < rest.upperBound {
            let span = shard.start(of: next + 1) - shard.start(of: next)
            let peaks = contents.table.peakCount(next)
            guard next == first || layout.fits(span: span, peaks: peaks) else { break }
            let placed = layout.place(span: span, peaks: peaks)
            if next == first { start = placed }
            totalSeconds += contents.table.recording(next).durationSeconds
            next += 1
        }
        count += next - first
        rest = next..<rest.upperBound
        return CatalogPart(
            contents: contents, shard: shard, places: first..<next, shift: start - shard.start(of: first))
    }

    /// The ranges of 0 ..< `count` without the removed indices.
    private static func runs(_ count: Int, without removed: [Int]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for place in removed.sorted() + [count] {
            if start < place { runs.append(start..<place) }
            start = place + 1
        }
        return runs
    }
}
