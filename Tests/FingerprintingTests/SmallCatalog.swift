import Fingerprinting
import TestSupport

/// A catalog with a narrow band and few keys, whose file has a few kilobytes.
enum SmallCatalog {
    static let settings: Settings = {
        var settings = Settings()
        settings.analysis.lowestHertz = 700
        settings.analysis.highestHertz = 1100
        settings.index.widestOctaves = 0.1
        settings.index.ratioStepBins = 10
        settings.index.finestRatioOctaves = 0.04
        settings.index.coarsestRatioOctaves = 0.04
        return settings
    }()

    static let item = MediaItem([
        .init("title", .string("Étude № 3")), .init("year", .integer(-1999)), .init("gain", .number(0.1)),
        .init("live", .bool(true)), .init("released", .date(1.5e9)), .init("cover", .data([0, 255, 7])),
        .init("genres", .list([.string("a"), .list([.integer(1), .bool(false)]), .data([])])),
        .init("title", .string("a second one")),
    ])

    static let references: [Reference] = (0..<3).map { place in
        guard
            let signature = try? SignatureExtractor.signature(
                of: ScoreSong(seed: UInt64(place), seconds: 4).render(), settings: settings)
        else { preconditionFailure("a song has no signature") }
        return Reference(id: "small \(place)", mediaItem: item, signature: signature)
    }

    static let bytes = encoded(settings.shardLimit)

    /// The same references, each in a shard of its own.
    static let bytesInShards = encoded(narrow)
    static let narrow = ShardLimit(frames: 1, peaks: 1)

    private static func encoded(_ limit: ShardLimit) -> [UInt8] {
        guard let catalog = try? Catalog(references: references, settings: settings),
            let bytes = try? CatalogFile.encode(catalog, limit: limit)
        else { preconditionFailure("no small catalog") }
        return bytes
    }
}
