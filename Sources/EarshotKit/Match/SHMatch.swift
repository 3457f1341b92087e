/// A successful match of a query.
public final class SHMatch: NSObject, NSSecureCoding, Sendable {
    /// The media items of the recognised references, best reference first.
    ///
    /// These are all references that hold the query, however many. Episodes of a show match within their
    /// common intro, and only the right one soon after it.
    ///
    /// For each reference, items whose time ranges contain the current position come first, latest start
    /// first. Items without time ranges follow in their original order. Items outside their time or skew
    /// ranges are omitted. If none remains of any reference, one item without properties represents the best
    /// reference.
    public let mediaItems: [SHMatchedMediaItem]
    /// The query.
    public let querySignature: SHSignature

    /// Makes a match, for tests and previews.
    public init(mediaItems: [SHMatchedMediaItem], querySignature: SHSignature) {
        self.mediaItems = mediaItems
        self.querySignature = querySignature
    }

    /// Compares queries and items.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SHMatch else { return false }
        return self === other || (mediaItems == other.mediaItems && querySignature == other.querySignature)
    }

    public override var hash: Int { mediaItems.hashValue }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Adds the match to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(mediaItems as NSArray, forKey: Self.itemsKey)
        coder.encode(querySignature, forKey: Self.queryKey)
    }

    /// Reads a match from an archive; nil if it has none.
    public init?(coder: NSCoder) {
        let classes: [AnyClass] = [NSArray.self, SHMatchedMediaItem.self]
        guard let items = coder.decodeObject(of: classes, forKey: Self.itemsKey) as? [SHMatchedMediaItem],
            let query = coder.decodeObject(of: SHSignature.self, forKey: Self.queryKey)
        else { return nil }
        mediaItems = items
        querySignature = query
    }

    private static let itemsKey = "mediaItems"
    private static let queryKey = "querySignature"
}
