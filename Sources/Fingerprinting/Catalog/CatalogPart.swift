/// References of a catalog that are next to each other and go to a new catalog as they are.
struct CatalogPart {
    let contents: CatalogContents
    /// Their places in that catalog; at least one.
    let places: Range<Int>
    /// How many frames later than there they lie on the new timeline; a multiple of the timeline's cells.
    let shift: Int

    /// Where their things lie in that catalog.
    func range(_ column: ReferenceTable.Column) -> Range<Int> {
        let rows = contents.table.rows
        let first = places.lowerBound * ReferenceTable.width + column.rawValue
        let end = places.upperBound * ReferenceTable.width + column.rawValue
        return Int(rows[first])..<Int(rows[end])
    }

    /// Where they lie on that catalog's timeline, with half of the room to their neighbours.
    var frames: Range<Int> {
        let starts = contents.timeline.starts
        return (starts[places.lowerBound] - Timeline.margin)..<(starts[places.upperBound] - Timeline.margin)
    }
}

/// The catalogs that a new one is made of, and what is taken of each.
struct CatalogSources {
    /// For each catalog its parts, in order; those of the first come first.
    let sources: [[CatalogPart]]
    /// The number of frames on the new timeline.
    let endFrame: Int
    /// The number of references.
    let count: Int
    /// The length of all recordings, in seconds.
    let totalSeconds: Double

    /// Takes all references of each catalog, without those at the places that `removed` lists for each.
    ///
    /// - Throws: `FingerprintingError` when a file's list of references is malformed, or when there is more than one
    ///   catalog can hold.
    init(_ catalogs: [CatalogContents], removed: [[Int]] = []) throws {
        var sources: [[CatalogPart]] = []
        var end = Timeline.margin
        var count = 0
        var seconds = 0.0
        for (number, contents) in catalogs.enumerated() {
            try CatalogCheck(contents).checkRows()
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

    /// All parts, in order.
    var parts: [CatalogPart] { sources.flatMap { $0 } }

    /// The ranges that are left of 0 ..< `count`.
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
