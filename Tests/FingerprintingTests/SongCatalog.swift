import Fingerprinting
import TestSupport

/// A few songs and their catalog, shared by all tests.
enum SongCatalog {
    static let songs = (0..<6).map { ScoreSong(seed: UInt64($0), seconds: 40) }
    static let references: [Reference] = songs.enumerated().map { place, song in
        guard let signature = try? SignatureExtractor.signature(of: song.render()) else {
            preconditionFailure("a song has no signature")
        }
        return Reference(
            id: "song \(place)", mediaItem: MediaItem(title: "Song \(place)"), signature: signature)
    }
    static let catalog: Catalog = {
        guard let catalog = try? Catalog(references: references) else {
            preconditionFailure("no catalog of songs")
        }
        return catalog
    }()
}
