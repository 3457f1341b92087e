/// Writes a catalog file of one catalog or several, piece by piece.
///
/// It copies the contents and only computes new positions.
struct CatalogWriter {
    private static let pieceLength = 1 << 20

    private let sources: CatalogSources
    private let settings: Settings
    /// Those of each shard.
    private let postings: [PostingMerge]

    /// Takes the references of each catalog, except those that `removed` lists for it.
    ///
    /// - Throws: `FingerprintingError` when a catalog's file is damaged.
    init(
        _ catalogs: [CatalogContents], removed: [[Int]] = [], settings: Settings, limit: ShardLimit? = nil
    ) throws {
        self.settings = settings
        sources = try CatalogSources(catalogs, removed: removed, limit: limit ?? settings.shardLimit)
        let keys = KeySpace(settings.index, analysis: settings.analysis)
        postings = try sources.shards.map { try PostingMerge($0.sources, keys: keys) }
    }

    /// Takes the references of each catalog, as the other initialiser does; identifiers must differ.
    ///
    /// - Throws: `FingerprintingError` also when catalogs were made with other settings than the first.
    init(merging catalogs: [Catalog], removed: [[Int]]) throws {
        let settings = catalogs.first?.settings ?? Settings()
        for catalog in catalogs { try settings.expectSamePeaksAndIndex(as: catalog.settings) }
        try self.init(catalogs.map(\.contents), removed: removed, settings: settings)
    }

    func write(to sink: @escaping SectionFileWriter.Sink) throws {
        var stored = ByteWriter()
        try settings.stored.encode(into: &stored)
        var info = ByteWriter()
        info.append(UInt64(sources.count))
        info.append(sources.totalSeconds.bitPattern)
        for first in sources.firsts.dropFirst() { info.append(UInt64(first)) }
        let ends = postings.map(\.ends)
        let lengths = [
            stored.bytes.count, info.bytes.count, 8 * ReferenceTable.width * (sources.count + 1),
            length(.id), length(.item), 4 * (sources.count + sources.shards.count), 4 * length(.record),
            4 * length(.checkpoint), ends.reduce(0) { $0 + 4 * $1.groups.count },
            ends.reduce(0) { $0 + $1.code.count }, postings.reduce(0) { $0 + 4 * $1.total },
        ]
        var file = try SectionFileWriter(
            kind: CatalogFile.kind,
            sections: Array(zip(CatalogFile.sectionNames, lengths)).map { (name: $0, length: $1) }, to: sink)
        try file.append(stored.bytes)
        try file.endSection()
        try file.append(info.bytes)
        try file.endSection()
        try writeRows(to: &file)
        try copy(.id, to: &file) { $0.table.ids }
        try copy(.item, to: &file) { $0.table.items }
        try writeStarts(to: &file)
        try copy(.record, to: &file) { $0.peakStore.records }
        try copy(.checkpoint, to: &file) { $0.peakStore.checkpoints }
        for ends in ends { try file.append(ends.groups.bytes(0..<ends.groups.count)) }
        try file.endSection()
        for ends in ends { try file.append(ends.code.bytes(0..<ends.code.count)) }
        try file.endSection()
        for postings in postings { try postings.forEachPiece { try file.append($0) } }
        try file.endSection()
        try file.finish()
    }

    private func length(_ column: ReferenceTable.Column) -> Int {
        sources.parts.reduce(0) { $0 + $1.range(column).count }
    }

    private func writeRows(to file: inout SectionFileWriter) throws {
        var starts = [Int](repeating: 0, count: ReferenceTable.width)
        for part in sources.parts {
            let rows = part.contents.table.rows
            for place in part.places {
                var row = (0..<ReferenceTable.width).map { rows[place * ReferenceTable.width + $0] }
                for column in ReferenceTable.Column.allCases {
                    let moved = starts[column.rawValue] - part.range(column).lowerBound
                    row[column.rawValue] = UInt64(Int(row[column.rawValue]) + moved)
                }
                try file.append(row)
            }
            for column in ReferenceTable.Column.allCases {
                starts[column.rawValue] += part.range(column).count
            }
        }
        try file.append(starts.map { UInt64($0) })
        try file.endSection()
    }

    private func writeStarts(to file: inout SectionFileWriter) throws {
        for shard in sources.shards {
            for part in shard.parts {
                for place in part.places {
                    try file.append([UInt32(part.shard.start(of: place) + part.shift)])
                }
            }
            try file.append([UInt32(shard.endFrame)])
        }
        try file.endSection()
    }

    private func copy<Element>(
        _ column: ReferenceTable.Column, to file: inout SectionFileWriter,
        _ section: (CatalogContents) -> FrozenArray<Element>
    ) throws {
        for part in sources.parts {
            let elements = section(part.contents)
            let range = part.range(column)
            for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.pieceLength) {
                let piece = start..<min(start + Self.pieceLength, range.upperBound)
                try elements.requireIntact(piece)
                try file.append(elements.bytes(piece))
                elements.owner?.forget(elements.bytes(piece))
            }
        }
        try file.endSection()
    }
}
