import ShazamKit

/// A show whose episodes share an intro, so that the intro alone matches all of them.
package struct TVShow: Sendable {
    /// An episode and the frequency skew of its broadcast.
    package struct Episode: Sendable {
        package let title: String
        /// The signature of the original audio, intro included.
        package let signature: SHSignature
        /// The frequency skew of the broadcast, as a fraction; nil for any.
        package let skew: Float?

        package init(title: String, signature: SHSignature, skew: Float? = nil) {
            self.title = title
            self.signature = signature
            self.skew = skew
        }
    }

    /// The tolerance of a measured skew.
    ///
    /// Episodes' skews should differ by twice as much, and stay too small to notice.
    package static let skewTolerance: Float = 0.004

    package let catalog: SHCustomCatalog

    /// Makes a show of episodes.
    ///
    /// - Throws: `SHError` 200 if an episode is silent.
    package init(_ episodes: [Episode]) throws {
        catalog = SHCustomCatalog()
        for episode in episodes {
            var properties: [SHMediaItemProperty: Any] = [.title: episode.title]
            if let skew = episode.skew {
                properties[.frequencySkewRanges] = [(skew - Self.skewTolerance)..<(skew + Self.skewTolerance)]
            }
            try catalog.addReferenceSignature(
                episode.signature, representing: [SHMediaItem(properties: properties)])
        }
    }

    /// The episodes that a recording may be from, best first; a recording of the intro matches all of them.
    ///
    /// - Parameter title: Restricts the result to the episode with this title.
    /// - Throws: `SHError` 201 if the recording is too short, 200 if it is silent.
    package func episodes(in recording: SHSignature, title: String? = nil) async throws
        -> [SHMatchedMediaItem]
    {
        switch await SHSession(catalog: catalog).result(from: recording) {
        case .match(let match):
            // An item without a title means an episode with another skew.
            return match.mediaItems.filter { $0.title != nil && (title == nil || $0.title == title) }
        case .noMatch: return []
        case .error(let error, _): throw error
        }
    }
}
