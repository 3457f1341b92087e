/// A recording to recognise: identifier, metadata and signature.
public struct Reference: Hashable, Sendable {
    /// The identifier, unique in its catalog and not empty.
    public let id: String
    /// Its metadata.
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

/// The metadata of a reference: an ordered list of keys, each with a typed value.
///
/// The engine stores it unchanged; the caller defines the keys.
public struct MediaItem: Hashable, Sendable {
    /// One key and its value.
    public struct Property: Hashable, Sendable {
        /// The name of the property.
        public let key: String
        /// Its value.
        public let value: Value

        /// Makes a property.
        public init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// A value of a type that files can store.
    public enum Value: Hashable, Sendable {
        /// Text.
        case string(String)
        /// A whole number.
        case integer(Int64)
        /// A number.
        case number(Double)
        /// Yes or no.
        case bool(Bool)
        /// Seconds since 1970-01-01 00:00 UTC.
        case date(Double)
        /// Bytes of any meaning.
        case data([UInt8])
        /// A list of values.
        case list([Value])
        /// A number of single precision.
        case single(Float)
        /// The address of a resource, as text.
        case url(String)
        /// Keys, each with a value.
        case dictionary([Property])
        /// Numbers from the first up to but without the second; the first is at most the second.
        case range(Double, Double)
        /// Numbers of single precision from the first up to but without the second.
        case singleRange(Float, Float)
        /// Whole numbers from the first up to but without the second.
        case integerRange(Int64, Int64)
        /// Seconds since 2001-01-01 00:00 UTC: exact for what Foundation calls a date.
        case instant(Double)
    }

    /// The properties in their original order; keys may repeat.
    public var properties: [Property]

    /// Makes an item of the given properties.
    public init(_ properties: [Property] = []) { self.properties = properties }

    /// Makes an item with only a title.
    public init(title: String) { properties = [Property("title", .string(title))] }

    /// The first value of `key`.
    public subscript(key: String) -> Value? { properties.first { $0.key == key }?.value }

    /// The text of the property "title".
    public var title: String? {
        guard case .string(let text) = self["title"] else { return nil }
        return text
    }
}
