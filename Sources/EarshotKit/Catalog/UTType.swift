/// The type of a file, as far as programs for audio, catalogs and signatures need it.
///
/// Linux has no registry of types. The types are those below, with Apple's identifiers. Any other extension of a file
/// name has a type of its own that conforms to ``data``.
public struct UTType: Hashable, Sendable {
    private static let declarations: [String: (extensions: [String], parents: [String])] = {
        func type(_ extensions: String..., is parents: String...) -> ([String], [String]) {
            (extensions, parents)
        }
        return [
            "public.item": type(), "public.content": type(),
            "public.data": type(is: "public.item"),
            "public.directory": type(is: "public.item"), "public.folder": type(is: "public.directory"),
            "public.text": type(is: "public.data", "public.content"),
            "public.plain-text": type("txt", "text", is: "public.text"),
            "public.json": type("json", is: "public.text"),
            "public.delimited-values-text": type(is: "public.text"),
            "public.comma-separated-values-text": type("csv", is: "public.delimited-values-text"),
            "public.image": type(is: "public.data", "public.content"),
            "public.jpeg": type("jpeg", "jpg", is: "public.image"),
            "public.png": type("png", is: "public.image"),
            "public.audiovisual-content": type(is: "public.data", "public.content"),
            "public.movie": type(is: "public.audiovisual-content"),
            "public.video": type(is: "public.movie"),
            "public.audio": type(is: "public.audiovisual-content"),
            "com.apple.quicktime-movie": type("mov", "qt", is: "public.movie"),
            "public.mpeg-4": type("mp4", "mpg4", is: "public.movie"),
            "public.mpeg": type("mpg", "mpeg", is: "public.movie"),
            "public.avi": type("avi", is: "public.movie"),
            "org.matroska.mkv": type("mkv", is: "public.movie"),
            "public.mpeg-4-audio": type(is: "public.mpeg-4", "public.audio"),
            "com.apple.m4a-audio": type("m4a", is: "public.mpeg-4-audio"),
            "public.mp3": type("mp3", is: "public.audio"),
            "public.aac-audio": type("aac", is: "public.audio"),
            "com.microsoft.waveform-audio": type("wav", "wave", is: "public.audio"),
            "public.aifc-audio": type("aifc", is: "public.audio"),
            "public.aiff-audio": type("aiff", "aif", is: "public.aifc-audio"),
            "com.apple.coreaudio-format": type("caf", is: "public.audio"),
            "org.xiph.flac": type("flac", is: "public.audio"),
            "org.xiph.ogg-audio": type("ogg", "oga", is: "public.audio"),
            "org.xiph.opus": type("opus", is: "public.audio"),
            "com.apple.shazamsignature": type("shazamsignature", is: "public.data"),
            "com.apple.shazamcatalog": type("shazamcatalog", is: "public.data"),
        ]
    }()
    private static let identifiers: [String: String] = Dictionary(
        declarations.flatMap { name, declared in declared.extensions.map { ($0, name) } },
        uniquingKeysWith: { first, _ in first })
    private static let dynamicPrefix = "dyn."

    /// The identifier.
    public let identifier: String

    private init(known identifier: String) { self.identifier = identifier }

    /// The type of an identifier; nil if it is not known.
    public init?(_ identifier: String) {
        guard Self.declarations[identifier] != nil else { return nil }
        self.identifier = identifier
    }

    /// The type of files whose names end in an extension, in upper or lower case; nil for an empty one.
    ///
    /// Nil as well if the type does not conform to `supertype`. An extension that is not known is of a dynamic type.
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
        let name = filenameExtension.lowercased()
        guard !name.isEmpty else { return nil }
        identifier = Self.identifiers[name] ?? Self.dynamicPrefix + name
        guard conforms(to: supertype) else { return nil }
    }

    /// The extension of file names, without the dot; nil for a type that has none.
    public var preferredFilenameExtension: String? {
        isDynamic
            ? String(identifier.dropFirst(Self.dynamicPrefix.count))
            : Self.declarations[identifier]?.extensions.first
    }

    /// Whether the type was made for an extension that is not known.
    public var isDynamic: Bool { identifier.hasPrefix(Self.dynamicPrefix) }

    /// Whether the type is another one or a kind of it.
    public func conforms(to type: UTType) -> Bool { self == type || supertypes.contains(type) }

    /// Whether the type is a kind of another one.
    public func isSubtype(of type: UTType) -> Bool { self != type && conforms(to: type) }

    /// The types that the type is a kind of.
    public var supertypes: Set<UTType> {
        let parents = isDynamic ? [UTType.data.identifier] : Self.declarations[identifier]?.parents ?? []
        return parents.map(UTType.init(known:)).reduce(into: []) { all, parent in
            all.insert(parent)
            all.formUnion(parent.supertypes)
        }
    }

    /// A signature file.
    public static let shazamSignature = UTType(known: "com.apple.shazamsignature")
    /// A catalog file.
    public static let shazamCustomCatalog = UTType(known: "com.apple.shazamcatalog")
    /// Anything with a name in a file system.
    public static let item = UTType(known: "public.item")
    /// Text, sound, pictures and films.
    public static let content = UTType(known: "public.content")
    /// Bytes.
    public static let data = UTType(known: "public.data")
    /// A folder that people see.
    public static let folder = UTType(known: "public.folder")
    /// Text.
    public static let text = UTType(known: "public.text")
    /// Text without markup.
    public static let plainText = UTType(known: "public.plain-text")
    /// JSON.
    public static let json = UTType(known: "public.json")
    /// Comma-separated values.
    public static let commaSeparatedText = UTType(known: "public.comma-separated-values-text")
    /// A picture.
    public static let image = UTType(known: "public.image")
    /// Audio, video, or both.
    public static let audiovisualContent = UTType(known: "public.audiovisual-content")
    /// Video, perhaps with audio.
    public static let movie = UTType(known: "public.movie")
    /// Video without audio.
    public static let video = UTType(known: "public.video")
    /// Audio without video.
    public static let audio = UTType(known: "public.audio")
    /// A QuickTime movie.
    public static let quickTimeMovie = UTType(known: "com.apple.quicktime-movie")
    /// An MPEG-4 movie.
    public static let mpeg4Movie = UTType(known: "public.mpeg-4")
    /// MPEG-4 audio.
    public static let mpeg4Audio = UTType(known: "public.mpeg-4-audio")
    /// An AVI movie.
    public static let avi = UTType(known: "public.avi")
    /// MP3 audio.
    public static let mp3 = UTType(known: "public.mp3")
    /// A WAV file.
    public static let wav = UTType(known: "com.microsoft.waveform-audio")
    /// An AIFF file.
    public static let aiff = UTType(known: "public.aiff-audio")
}

extension URL {
    /// The path with the preferred extension of a type, if that has one.
    public func appendingPathExtension(for contentType: UTType) -> URL {
        contentType.preferredFilenameExtension.map { appendingPathExtension($0) } ?? self
    }
}
