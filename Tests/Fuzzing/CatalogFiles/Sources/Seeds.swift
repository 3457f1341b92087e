import AudioCore
import Fingerprinting
import Foundation

/// The valid files from which inputs are made, and a query that matches in them.
///
/// The band is narrow and the index coarse, so that a catalog has a few kilobytes.
enum Seeds {
    static let settings: Settings = {
        var settings = Settings()
        (settings.analysis.lowestHertz, settings.analysis.highestHertz) = (700, 1100)
        settings.index.widestOctaves = 0.1
        settings.index.ratioStepBins = 10
        settings.index.finestRatioOctaves = 0.04
        settings.index.coarsestRatioOctaves = 0.04
        return settings
    }()

    private static let references: [Reference] = (0..<3).compactMap { seed in
        guard let signature = try? SignatureExtractor.signature(of: noise(seed), settings: settings) else {
            return nil
        }
        let item = MediaItem([
            .init("title", .string("a title")), .init("more", .list([.integer(1), .list([.bool(true)])])),
            .init("entries", .dictionary([.init("page", .url("file:///a")), .init("gain", .single(1))])),
            .init("parts", .list([.range(0, 1), .singleRange(0, 1), .integerRange(0, 1)])),
            .init("made", .instant(1)), .init("cover", .data([1])), .init("heard", .date(1)),
        ])
        return Reference(id: "seed \(seed)", mediaItem: item, signature: signature)
    }

    /// A query of the second reference.
    static let query: Query = {
        guard let query = try? Query(noise(1), settings: settings) else { preconditionFailure("no query") }
        return query
    }()

    /// An input for each kind of file.
    static let inputs: [[UInt8]] = {
        guard let catalog = try? Catalog(references: references, settings: settings),
            let bytes = try? CatalogFile.encode(catalog),
            let empty = try? Catalog(references: [], settings: settings),
            let emptyBytes = try? CatalogFile.encode(empty)
        else { preconditionFailure("no catalog") }
        return [[0] + bytes, [1] + references[0].signature.encoded(), [0] + emptyBytes] + golden
    }()

    /// Files of every version since 0.1.0.
    private static let golden: [[UInt8]] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Golden")
        let files =
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.sorted { $0.path < $1.path }.compactMap { file in
            let kinds: [String: UInt8] = ["earcatalog": 0, "earsignature": 1]
            guard let kind = kinds[file.pathExtension], let bytes = try? Data(contentsOf: file) else {
                return nil
            }
            return [kind] + [UInt8](bytes)
        }
    }()

    private static func noise(_ seed: Int) -> AudioBuffer {
        var generator = SeededGenerator(seed: UInt64(seed), "noise")
        return AudioBuffer(
            samples: (0..<32_000).map { _ in Float(generator.index(below: 2000)) / 1000 - 1 },
            sampleRate: 8000)
    }
}
