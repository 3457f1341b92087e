/// Adjacent references of a catalog, to copy to a new catalog unchanged.
struct CatalogPart {
    let contents: CatalogContents
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
        let starts = contents.timeline.starts
        return (starts[places.lowerBound] - Timeline.margin)..<(starts[places.upperBound] - Timeline.margin)
    }
}

/// The catalogs of which a new one is made, and the references to copy from each.
struct CatalogSources {
    let sources: [[CatalogPart]]
    /// The number of frames on the new timeline.
    let endFrame: Int
    let count: Int
    let totalSeconds: Double

    /// Takes the references of each catalog, except those that `removed` lists for it.
    ///
    /// - Throws: `FingerprintingError` when a file's table of references is malformed, or when the references are too long
    ///   for one catalog.
    init(_ catalogs: [CatalogContents], removed: [[Int]] = []) throws {
        var sources: [[CatalogPart]] = []
        var end = Timeline.margin
        var count = 0
        var seconds = 0.0
        for (number, contents) in catalogs.enumerated() {
            try CatalogCheck(contents: contents).checkRows()
            var parts: [CatalogPart] = []
            let starts = contents.timeline.starts
            for places in Self.runs(
                contents.table.count, without: number < removed.count ? removed[number] : [])
            {
                parts.append(
                    CatalogPart(contents: contents, places: places, shift: end - starts[places.lowerBound]))
                end += starts[places.upperBound] - starts[places.lowerBound]
                count += places.count
                for place in places { seconds += contents.table.recording(place).durationSeconds }
            }
            sources.append(parts)
        }
        guard end <= Posting.mostFrames else {
            throw FingerprintingError(
                .incompatibleSignature,
                "the references are too long for one catalog: \(Int(seconds / 3600)) hours")
        }
        self.sources = sources
        endFrame = end
        self.count = count
        totalSeconds = seconds
    }

    var parts: [CatalogPart] { sources.flatMap { $0 } }

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
