/// What a query was recognised as.
public final class SHMatch: NSObject, NSSecureCoding, Sendable {
    /// The media items of the references that were recognised.
    ///
    /// Best reference first. Of one reference, items whose time ranges hold the present position come first, the one
    /// whose range began last before the others; then those without time ranges, in the order they were given. Items
    /// whose time ranges do not hold the position, or whose skew ranges do not hold the skew, are left out; when none
    /// is left an item without properties of its own stands for the reference.
    public let mediaItems: [SHMatchedMediaItem]
    /// What was looked up.
    public let querySignature: SHSignature

    /// Takes items in order.
    init(mediaItems: [SHMatchedMediaItem], querySignature: SHSignature) {
        self.mediaItems = mediaItems
        self.querySignature = querySignature
    }

    /// Whether the other object is a match of an equal query with equal items.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SHMatch else { return false }
        return self === other || (mediaItems == other.mediaItems && querySignature == other.querySignature)
    }

    /// A hash of the items.
    public override var hash: Int { mediaItems.hashValue }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Adds the match to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(mediaItems as NSArray, forKey: Self.itemsKey)
        coder.encode(querySignature, forKey: Self.queryKey)
    }

    /// Reads a match from an archive; nil when the archive holds none.
    public init?(coder: NSCoder) {
        let classes: [AnyClass] = [NSArray.self, SHMatchedMediaItem.self]
        guard
            let items = coder.decodeObject(of: classes, forKey: Self.itemsKey) as? [SHMatchedMediaItem],
            let query = coder.decodeObject(of: SHSignature.self, forKey: Self.queryKey)
        else { return nil }
        mediaItems = items
        querySignature = query
    }

    private static let itemsKey = "items"
    private static let queryKey = "query"
}
