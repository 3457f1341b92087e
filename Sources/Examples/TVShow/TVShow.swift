import EarshotKit

/// A show whose episodes have an intro in common, so that the intro alone is heard as every one of them.
public struct TVShow: Sendable {
    /// An episode, and by how much it is broadcast higher than it was made.
    public struct Episode: Sendable {
        /// What it is called.
        public let title: String
        /// Its audio as it was made, the intro included.
        public let signature: SHSignature
        /// The frequency skew of its broadcast, as a fraction; nil when any will do.
        public let skew: Float?

        /// Makes an episode.
        public init(title: String, signature: SHSignature, skew: Float? = nil) {
            self.title = title
            self.signature = signature
            self.skew = skew
        }
    }

    /// How far from an episode's skew its broadcast may be measured.
    ///
    /// Skews of episodes should be twice as far apart, and small enough that no one hears them.
    public static let skewTolerance: Float = 0.004

    /// The episodes as a catalog, one reference each.
    public let catalog: SHCustomCatalog

    /// Takes the episodes of a show.
    ///
    /// - Throws: `SHError` 200 when an episode is silent.
    public init(_ episodes: [Episode]) throws {
        catalog = SHCustomCatalog()
        for episode in episodes {
            var properties: [SHMediaItemProperty: Any] = [.title: episode.title]
            if let skew = episode.skew {
                properties[.frequencySkewRanges] = [
                    (skew - Self.skewTolerance)..<(skew + Self.skewTolerance)
                ]
            }
            try catalog.addReferenceSignature(
                episode.signature, representing: [SHMediaItem(properties: properties)])
        }
    }

    /// The episodes that a recording may be of, best first: all of them when it is of the intro.
    ///
    /// - Parameter title: only the episode of this title.
    /// - Throws: `SHError` 201 when the recording is too short, 200 when it is silent.
    public func episodes(in recording: SHSignature, title: String? = nil) async throws
        -> [SHMatchedMediaItem]
    {
        switch await SHSession(catalog: catalog).result(from: recording) {
        case .match(let match):
            // An item without a title stands for an episode whose skew it was not.
            return match.mediaItems.filter { $0.title != nil && (title == nil || $0.title == title) }
        case .noMatch: return []
        case .error(let error, _): throw error
        }
    }
}
