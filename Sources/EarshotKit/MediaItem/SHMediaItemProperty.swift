/// The key of a property of a media item.
///
/// Add your own in an extension; a key is nothing but its text.
///
/// ```swift
/// extension SHMediaItemProperty {
///     static let chapter = SHMediaItemProperty("chapter")
/// }
/// ```
public struct SHMediaItemProperty: RawRepresentable, Hashable, Sendable {
    /// The text of the key: for the keys below it is their name.
    public let rawValue: String

    /// Makes a key of its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Makes a key of its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An identifier that the item's origin gave it: `String`.
    public static let shazamID = SHMediaItemProperty("shazamID")
    /// The title: `String`.
    public static let title = SHMediaItemProperty("title")
    /// The subtitle: `String`.
    public static let subtitle = SHMediaItemProperty("subtitle")
    /// The artist: `String`.
    public static let artist = SHMediaItemProperty("artist")
    /// The address of a page about the item: `URL`.
    public static let webURL = SHMediaItemProperty("webURL")
    /// An identifier in a music shop: `String`.
    public static let appleMusicID = SHMediaItemProperty("appleMusicID")
    /// The address in a music shop: `URL`.
    public static let appleMusicURL = SHMediaItemProperty("appleMusicURL")
    /// The address of an image: `URL`.
    public static let artworkURL = SHMediaItemProperty("artworkURL")
    /// The address of a film: `URL`.
    public static let videoURL = SHMediaItemProperty("videoURL")
    /// Whether the content is explicit: `Bool`.
    public static let explicitContent = SHMediaItemProperty("explicitContent")
    /// The genres: `[String]`.
    public static let genres = SHMediaItemProperty("genres")
    /// The international standard recording code: `String`.
    public static let ISRC = SHMediaItemProperty("ISRC")
    /// Reference time heard at the query's first sample, in seconds; of matched items only.
    public static let matchOffset = SHMediaItemProperty("matchOffset")
    /// Heard frequency over reference frequency − 1; of matched items only.
    public static let frequencySkew = SHMediaItemProperty("frequencySkew")
    /// The probability that the match is right, 0…1; of matched items only.
    public static let confidence = SHMediaItemProperty("confidence")
    /// The parts of the reference that the item is about, in seconds: `[Range<TimeInterval>]`.
    public static let timeRanges = SHMediaItemProperty("timeRanges")
    /// The frequency skews at which the item is returned, as fractions: `[Range<Float>]`.
    public static let frequencySkewRanges = SHMediaItemProperty("frequencySkewRanges")
    /// When the item was made: `Date`.
    public static let creationDate = SHMediaItemProperty("creationDate")
}
