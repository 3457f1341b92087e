import Fingerprinting

/// Properties of a reference or a part of it, by key.
///
/// ```swift
/// let item = SHMediaItem(properties: [.title: "Chorus", .timeRanges: [60.0..<90.0], .chapter: 7])
/// let chapter = item[.chapter] as? Int
/// ```
///
/// Values are `String`, `Int`, `Double`, `Float`, `Bool`, `URL`, `Date`, `Data`, ranges of numbers, or arrays
/// and dictionaries of these. Collections nest at most 30 levels. Numbers and truth values are read as `NSNumber`,
/// which `as?` casts to every type that holds the number exactly: `item[.chapter] as? Double` is 7.0. Files keep the
/// type of a number.
///
/// The initialiser omits values of other types, keys above 65,535 bytes and properties beyond the first 65,535.
/// Catalogs, libraries and tables refuse an item with an omitted value, and name it, also one from an archive.
///
/// Items are equal if their identifiers and properties are. Sendable: immutable after init.
public class SHMediaItem: NSObject, NSSecureCoding, NSCopying, Identifiable, @unchecked Sendable {
    /// The properties sorted by key, without duplicates.
    package let stored: MediaItem
    /// The identifier.
    ///
    /// In a catalog it is first a UUID (version 5) of the reference's recording and the item's properties. So it is the
    /// same on every machine, in every catalog and under every identifier of the reference, and differs for other
    /// recordings and other properties. Catalogs store it once other items of the reference are added or removed.
    /// Outside a catalog it is derived from the properties. A property `mediaItemID` that is a UUID sets it.
    public let id: UUID
    /// Whether catalogs and tables store the identifier.
    let isIDStored: Bool
    /// The first value that the initialiser omitted, and why, as a sentence.
    let fault: String?

    /// Keeps the first of properties with the same key.
    ///
    /// An identifier among the properties takes precedence over `id`.
    package init(
        stored: MediaItem, id: UUID? = nil, isIDStored: Bool = false, fault: String? = nil
    ) {
        self.fault = fault
        let (own, properties) = stored.canonical.identified
        self.stored = properties
        self.id = own ?? id ?? .ofProperties(properties)
        self.isIDStored = isIDStored || own != nil
    }

    /// Makes an item from its properties.
    public convenience init(properties: [SHMediaItemProperty: Any]) {
        let entries = Dictionary(properties.map { ($0.key.rawValue, $0.value) }) { first, _ in first }
        self.init(
            stored: MediaItem(Array(MediaItem.properties(entries).prefix(MediaItem.mostKeys))),
            fault: MediaItem.fault(of: entries))
    }

    /// Checks that all values can be stored.
    /// - Throws: `SHError` of the code, naming the property and the type of its value.
    func expectStorable(_ code: SHError.Code) throws {
        if let fault { throw SHError(code, message: fault) }
    }

    /// Asks the hosted catalog that the environment names for an item; see <doc:HostedCatalog>.
    ///
    /// - Throws: `SHError` 600 if there is no catalog, or it does not have the item.
    public class func fetch(shazamID: String) async throws -> SHMediaItem {
        try await fetch(shazamID: shazamID, from: .configured())
    }

    /// Asks for an item and passes it or an error to `completionHandler`, on another thread.
    ///
    /// ``fetch(shazamID:)`` lists the errors.
    public class func fetch(
        shazamID: String, completionHandler: @escaping @Sendable (SHMediaItem?, (any Error)?) -> Void
    ) {
        Task {
            do { completionHandler(try await fetch(shazamID: shazamID), nil) } catch {
                completionHandler(nil, error)
            }
        }
    }

    package class func fetch(shazamID: String, from catalog: SHCatalog) async throws -> SHMediaItem {
        try await onBlockingThread { () throws(SHError) in
            try SHError.mapping(to: .mediaItemFetchFailed) { try catalog.item(shazamID: shazamID) }
        }
    }

    /// The value of a property; an empty optional if there is none, so that `as?` gives nil.
    ///
    /// Numbers and truth values are `NSNumber`, which casts to `Int`, `Double`, `Float` and `Bool` if they hold it exactly.
    /// Time ranges are `[Range<Double>]` and skew ranges `[Range<Float>]`, whatever their original type.
    public subscript(key: SHMediaItemProperty) -> Any {
        stored[key.rawValue]?.plain ?? Any?.none as Any
    }

    /// Compares identifiers and properties.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SHMediaItem else { return false }
        return self === other
            || (type(of: self) == type(of: other) && id == other.id && stored == other.stored)
    }

    public override var hash: Int { id.hashValue }

    /// Returns the item itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override var description: String {
        "SHMediaItem(\(title.map { "\"\($0)\"" } ?? "no title"), \(stored.properties.count) properties)"
    }

    /// True.
    public class var supportsSecureCoding: Bool { true }

    /// Adds the item to an archive.
    ///
    /// The read item is refused as this one is, if a value was omitted. Foundation would end the process for an error here.
    public func encode(with coder: NSCoder) {
        var fault = fault
        do {
            coder.encode(Data(try stored.encoded()) as NSData, forKey: Self.propertiesKey)
        } catch {
            coder.encode(Data((try? MediaItem([]).encoded()) ?? []) as NSData, forKey: Self.propertiesKey)
            fault = fault ?? "\(error)"
        }
        coder.encode(id.uuidString as NSString, forKey: Self.idKey)
        if let fault { coder.encode(fault as NSString, forKey: Self.faultKey) }
    }

    /// Reads an item from an archive; nil if it has none.
    public required init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.propertiesKey) as Data?,
            let text = coder.decodeObject(of: NSString.self, forKey: Self.idKey) as String?,
            let id = UUID(uuidString: text),
            let stored = try? MediaItem(encoded: [UInt8](data), name: "the archive's media item")
        else { return nil }
        self.stored = stored.canonical
        self.id = id
        isIDStored = false
        // Foundation takes an absent key for an error of the whole archive.
        fault =
            coder.containsValue(forKey: Self.faultKey)
            ? coder.decodeObject(of: NSString.self, forKey: Self.faultKey) as String? : nil
    }

    private static let propertiesKey = "properties"
    private static let idKey = "id"
    private static let faultKey = "fault"
}

extension SHMediaItem {
    /// The properties as catalogs and tables store them.
    var storedWithID: MediaItem {
        guard isIDStored else { return stored }
        return MediaItem(stored.properties + [.init(MediaItem.idKey, .string(id.uuidString))]).canonical
    }

    /// The item, so that catalogs store its identifier.
    var withStoredID: SHMediaItem { SHMediaItem(stored: stored, id: id, isIDStored: true) }
}

extension MediaItem {
    /// The key of an item's identifier.
    static let idKey = "mediaItemID"

    /// The identifier among the properties.
    var storedID: UUID? {
        guard case .string(let text)? = self[Self.idKey] else { return nil }
        return UUID(uuidString: text)
    }

    /// The identifier among the properties, and the other properties.
    fileprivate var identified: (id: UUID?, properties: MediaItem) {
        guard let id = storedID else { return (nil, self) }
        return (id, MediaItem(properties.filter { $0.key != Self.idKey }))
    }

    /// The time ranges of an item with these properties, in seconds.
    var timeRanges: [Range<TimeInterval>] { self[SHMediaItemProperty.timeRanges.rawValue]?.ranges() ?? [] }

    /// The skew ranges of an item with these properties.
    var frequencySkewRanges: [Range<Float>] {
        self[SHMediaItemProperty.frequencySkewRanges.rawValue]?.ranges() ?? []
    }

    /// Whether an item with these properties is about a position in its reference, in seconds, heard at a skew.
    func applies(at position: TimeInterval, frequencySkew skew: Float) -> Bool {
        let (times, skews) = (timeRanges, frequencySkewRanges)
        return (skews.isEmpty || skews.contains { $0.contains(skew) })
            && (times.isEmpty || times.contains { $0.contains(position) })
    }

    /// The properties sorted by key, without duplicates, with time and skew ranges as lists.
    fileprivate var canonical: MediaItem {
        var seen: Set<String> = []
        return MediaItem(
            properties.filter { seen.insert($0.key).inserted }.sorted { $0.key < $1.key }.map { property in
                let values: [Value]
                switch SHMediaItemProperty(property.key) {
                case .timeRanges:
                    values = property.value.ranges().map { .range($0.lowerBound, $0.upperBound) }
                case .frequencySkewRanges:
                    values = property.value.ranges().map { .singleRange($0.lowerBound, $0.upperBound) }
                default: return property
                }
                return Property(property.key, .list(values))
            })
    }
}

extension SHMediaItem {
    /// The title.
    public var title: String? { self[.title] as? String }
    /// The subtitle.
    public var subtitle: String? { self[.subtitle] as? String }
    /// The artist.
    public var artist: String? { self[.artist] as? String }
    /// The identifier from the item's source.
    public var shazamID: String? { self[.shazamID] as? String }
    /// The identifier in a music store.
    public var appleMusicID: String? { self[.appleMusicID] as? String }
    /// The international standard recording code.
    public var isrc: String? { self[.ISRC] as? String }

    /// The web page of the item; text that is a URL counts.
    public var webURL: URL? { url(.webURL) }
    /// The address in a music store; text that is a URL counts.
    public var appleMusicURL: URL? { url(.appleMusicURL) }
    /// The address of an image; text that is a URL counts.
    public var artworkURL: URL? { url(.artworkURL) }
    /// The address of a video; text that is a URL counts.
    public var videoURL: URL? { url(.videoURL) }

    private func url(_ key: SHMediaItemProperty) -> URL? {
        self[key] as? URL ?? (self[key] as? String).flatMap { URL(string: $0) }
    }

    /// The genres; empty if unset.
    public var genres: [String] {
        stored[SHMediaItemProperty.genres.rawValue]?.elements.compactMap { $0.plain as? String } ?? []
    }

    /// Whether the content is explicit; default: false.
    ///
    /// A number other than 0 counts as true.
    public var explicitContent: Bool { (self[.explicitContent] as? NSNumber)?.boolValue ?? false }

    /// The creation date of the item.
    public var creationDate: Date? { self[.creationDate] as? Date }

    /// The half-open parts of the reference that the item is about, in seconds; empty for all of it.
    ///
    /// The property may hold ranges of `Double`, `Float` or `Int`.
    public var timeRanges: [Range<TimeInterval>] { stored.timeRanges }

    /// The half-open frequency skews at which the item applies, as fractions; empty for all.
    ///
    /// The property may hold ranges of `Float`, `Double` or `Int`.
    public var frequencySkewRanges: [Range<Float>] { stored.frequencySkewRanges }
}
