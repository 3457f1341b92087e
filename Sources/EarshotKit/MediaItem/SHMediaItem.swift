import Fingerprinting

/// What is known about a reference, or a part of it: properties by their keys.
///
/// ```swift
/// let item = SHMediaItem(properties: [.title: "Chorus", .timeRanges: [60.0..<90.0], .chapter: 7])
/// let chapter = item[.chapter] as? Int
/// ```
///
/// Values are of the types that a catalog file can hold: `String`, `Int`, `Double`, `Float`, `Bool`, `URL`, `Date`,
/// `Data`, ranges of numbers, and arrays and dictionaries of these, at most 30 deep. A value of another type, and a
/// key of more than 65,535 bytes, are left out when the item is made, and so are properties beyond 65,535. A number comes back as the type it was given:
/// an `Int` as `Int`, a `Double` as `Double`.
///
/// Items are equal when their identifiers and their properties are.
///
/// Sendable because nothing changes after it was made.
public class SHMediaItem: NSObject, NSSecureCoding, NSCopying, Identifiable, @unchecked Sendable {
    /// The properties by rising key, each key once; what catalogs and libraries keep.
    package let stored: MediaItem
    /// The identifier.
    ///
    /// An item of a catalog has the UUID (version 5) of its reference's identifier and its number there, whatever its
    /// properties. An item of no catalog has one that follows from its properties.
    public let id: UUID

    /// Takes stored properties; of a key that repeats the first counts.
    package init(stored: MediaItem, id: UUID? = nil) {
        self.stored = stored.canonical
        self.id = id ?? .ofProperties(self.stored)
    }

    /// Makes an item of its properties, of which there may be none.
    public convenience init(properties: [SHMediaItemProperty: Any]) {
        let entries = Dictionary(properties.map { ($0.key.rawValue, $0.value) }) { first, _ in first }
        self.init(stored: MediaItem(Array(MediaItem.properties(entries).prefix(MediaItem.mostKeys))))
    }

    /// The value of a property; an empty optional when there is none, so that `as?` gives nil.
    ///
    /// Ranges of time come as `[Range<Double>]`, ranges of skew as `[Range<Float>]`, whatever ranges they were given as.
    public subscript(key: SHMediaItemProperty) -> Any {
        stored[key.rawValue]?.plain ?? Any?.none as Any
    }

    /// Whether the other object is an item with the same identifier and properties.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SHMediaItem else { return false }
        return self === other
            || (type(of: self) == type(of: other) && id == other.id && stored == other.stored)
    }

    /// A hash of the identifier.
    public override var hash: Int { id.hashValue }

    /// The item itself, for it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The title and the number of properties.
    public override var description: String {
        "SHMediaItem(\(title.map { "\"\($0)\"" } ?? "no title"), \(stored.properties.count) properties)"
    }

    /// True.
    public class var supportsSecureCoding: Bool { true }

    /// Adds the item to an archive.
    public func encode(with coder: NSCoder) {
        do {
            coder.encode(Data(try stored.encoded()) as NSData, forKey: Self.propertiesKey)
            coder.encode(id.uuidString as NSString, forKey: Self.idKey)
        } catch {
            coder.failWithError(SHError(.internalError, message: "\(error)"))
        }
    }

    /// Reads an item from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.propertiesKey) as Data?,
            let text = coder.decodeObject(of: NSString.self, forKey: Self.idKey) as String?,
            let id = UUID(uuidString: text),
            let stored = try? MediaItem(encoded: [UInt8](data), name: "the archive's media item")
        else { return nil }
        self.stored = stored.canonical
        self.id = id
    }

    private static let propertiesKey = "properties"
    private static let idKey = "id"
}

extension MediaItem {
    /// The same properties by rising key, each key once, time and skew ranges as lists of their proper types.
    fileprivate var canonical: MediaItem {
        var seen: Set<String> = []
        return MediaItem(
            properties.filter { seen.insert($0.key).inserted }.sorted { $0.key < $1.key }.map { property in
                let values = property.value.elements
                switch property.key {
                case SHMediaItemProperty.timeRanges.rawValue:
                    let ranges = values.compactMap(\.doubleRange)
                    return Property(property.key, .list(ranges.map { .range($0.lowerBound, $0.upperBound) }))
                case SHMediaItemProperty.frequencySkewRanges.rawValue:
                    let ranges = values.compactMap(\.floatRange)
                    return Property(
                        property.key, .list(ranges.map { .singleRange($0.lowerBound, $0.upperBound) }))
                default: return property
                }
            })
    }
}
