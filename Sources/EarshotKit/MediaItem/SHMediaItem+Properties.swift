import Fingerprinting

extension SHMediaItem {
    /// The title.
    public var title: String? { self[.title] as? String }
    /// The subtitle.
    public var subtitle: String? { self[.subtitle] as? String }
    /// The artist.
    public var artist: String? { self[.artist] as? String }
    /// An identifier that the item's origin gave it.
    public var shazamID: String? { self[.shazamID] as? String }
    /// An identifier in a music shop.
    public var appleMusicID: String? { self[.appleMusicID] as? String }
    /// The international standard recording code.
    public var isrc: String? { self[.ISRC] as? String }

    /// The address of a page about the item; text that is an address counts too.
    public var webURL: URL? { url(.webURL) }
    /// The address in a music shop; text that is an address counts too.
    public var appleMusicURL: URL? { url(.appleMusicURL) }
    /// The address of an image; text that is an address counts too.
    public var artworkURL: URL? { url(.artworkURL) }
    /// The address of a film; text that is an address counts too.
    public var videoURL: URL? { url(.videoURL) }

    private func url(_ key: SHMediaItemProperty) -> URL? {
        self[key] as? URL ?? (self[key] as? String).flatMap { URL(string: $0) }
    }

    /// The genres; empty when there are none.
    public var genres: [String] {
        stored[SHMediaItemProperty.genres.rawValue]?.elements.compactMap { $0.plain as? String } ?? []
    }

    /// Whether the content is explicit; false when nothing is said.
    public var explicitContent: Bool { self[.explicitContent] as? Bool ?? false }

    /// When the item was made.
    public var creationDate: Date? { self[.creationDate] as? Date }

    /// The parts of the reference that the item is about, in seconds, without their upper ends; empty for all of it.
    ///
    /// They may be given as ranges of `Double`, `Float` or `Int`.
    public var timeRanges: [Range<TimeInterval>] {
        stored[SHMediaItemProperty.timeRanges.rawValue]?.elements.compactMap(\.doubleRange) ?? []
    }

    /// The frequency skews at which the item is returned, as fractions, without their upper ends; empty for all.
    ///
    /// They may be given as ranges of `Float`, `Double` or `Int`.
    public var frequencySkewRanges: [Range<Float>] {
        stored[SHMediaItemProperty.frequencySkewRanges.rawValue]?.elements.compactMap(\.floatRange) ?? []
    }
}
