/// A recording to be recognised: its identifier, what is known about it, and its signature.
public struct Reference: Hashable, Sendable {
    /// The identifier, unique in its catalog and not empty.
    public let id: String
    /// What is known about it.
    public let mediaItem: MediaItem
    /// Its peaks.
    public let signature: Signature

    /// Makes a reference.
    public init(id: String, mediaItem: MediaItem = MediaItem(), signature: Signature) {
        self.id = id
        self.mediaItem = mediaItem
        self.signature = signature
    }
}
