import AudioCore
import EarshotKit
import TestSupport

/// Songs with signatures and a catalog, made once for all tests.
public enum SongBook {
    /// The songs, 30 s each.
    public static let songs = (0..<4).map { ScoreSong(seed: 100 + UInt64($0), seconds: 30) }

    /// The signatures of ``songs``.
    public static let signatures: [SHSignature] = songs.map { song in
        guard let signature = try? SHSignature.of(song.render()) else {
            preconditionFailure("a song has no signature")
        }
        return signature
    }

    /// The title of a song.
    public static func title(_ song: Int) -> String { "Song \(song)" }

    /// A new catalog of all songs with their titles.
    public static func catalog() throws -> SHCustomCatalog {
        let catalog = SHCustomCatalog()
        for (song, signature) in signatures.enumerated() {
            try catalog.addReferenceSignature(
                signature, representing: [SHMediaItem(properties: [.title: title(song)])])
        }
        return catalog
    }

    /// The signature of a few seconds of a song.
    public static func query(_ song: Int, from start: Double, seconds: Double) throws -> SHSignature {
        try SHSignature.of(songs[song].render(from: start, seconds: seconds))
    }
}
