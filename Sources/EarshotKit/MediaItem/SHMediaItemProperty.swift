/// The key of a media item's property.
///
/// Add your own keys in an extension.
///
/// ```swift
/// extension SHMediaItemProperty {
///     static let chapter = SHMediaItemProperty("chapter")
/// }
/// ```
public struct SHMediaItemProperty: RawRepresentable, Hashable, Sendable {
    /// The text of the key; for built-in keys it is their name.
    public let rawValue: String

    /// Makes a key from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Makes a key from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The identifier from the item's source: `String`.
    public static let shazamID = SHMediaItemProperty("shazamID")
    /// The title: `String`.
    public static let title = SHMediaItemProperty("title")
    /// The subtitle: `String`.
    public static let subtitle = SHMediaItemProperty("subtitle")
    /// The artist: `String`.
    public static let artist = SHMediaItemProperty("artist")
    /// The web page of the item: `URL`.
    public static let webURL = SHMediaItemProperty("webURL")
    /// The identifier in a music store: `String`.
    public static let appleMusicID = SHMediaItemProperty("appleMusicID")
    /// The address in a music store: `URL`.
    public static let appleMusicURL = SHMediaItemProperty("appleMusicURL")
    /// The address of an image: `URL`.
    public static let artworkURL = SHMediaItemProperty("artworkURL")
    /// The address of a video: `URL`.
    public static let videoURL = SHMediaItemProperty("videoURL")
    /// Whether the content is explicit: `Bool`.
    public static let explicitContent = SHMediaItemProperty("explicitContent")
    /// The genres: `[String]`.
    public static let genres = SHMediaItemProperty("genres")
    /// The international standard recording code: `String`.
    public static let ISRC = SHMediaItemProperty("ISRC")
    /// The reference time at the query's first sample, in seconds; matched items only.
    public static let matchOffset = SHMediaItemProperty("matchOffset")
    /// The query's frequency over the reference's, minus 1; matched items only.
    public static let frequencySkew = SHMediaItemProperty("frequencySkew")
    /// The probability that the match is right, 0…1; matched items only.
    public static let confidence = SHMediaItemProperty("confidence")
    /// The parts of the reference that the item is about, in seconds: `[Range<TimeInterval>]`.
    public static let timeRanges = SHMediaItemProperty("timeRanges")
    /// The frequency skews at which the item applies, as fractions: `[Range<Float>]`.
    public static let frequencySkewRanges = SHMediaItemProperty("frequencySkewRanges")
    /// The creation date of the item: `Date`.
    public static let creationDate = SHMediaItemProperty("creationDate")
}
