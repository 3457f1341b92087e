internal import CTagLib
import Foundation
import SystemIO

/// What the tags of an audio file say of its recording, as TagLib reads them.
///
/// Texts have no control characters and at most 500 characters.
package struct AudioTags: Codable, Hashable, Sendable {
    package private(set) var title: String?
    package private(set) var artist: String?
    package private(set) var album: String?
    package private(set) var isrc: String?
    package private(set) var genres: [String] = []
    /// The address of a picture that is not in the file.
    package private(set) var artworkURL: String?

    private static let longestText = 500
    private static let mostValues = 32

    /// Reads the tags of the file at `path` in this process; none if it cannot be opened.
    package init(path: String) {
        if let file = try? StoredFile(path: path) { read(file) }
    }

    /// Reads the tags of a file in this process.
    init(_ file: VirtualFile) { read(file) }

    private mutating func read(_ file: VirtualFile) {
        var values: [String: [String]] = [:]
        if let descriptor = try? file.descriptor() {
            withUnsafeMutablePointer(to: &values) { values in
                taglib_read(
                    descriptor,
                    { context, name, value in
                        guard let context, let name, let value else { return }
                        context.assumingMemoryBound(to: [String: [String]].self).pointee[
                            String(cString: name), default: []
                        ].append(String(cString: value))
                    }, values)
            }
        }
        title = values["TITLE"]?.first
        artist = values["ARTIST"]?.joined(separator: ", ")
        album = values["ALBUM"]?.first
        isrc = values["ISRC"]?.first
        genres = values["GENRE"] ?? []
        artworkURL = values["-->"]?.first
        if values.isEmpty, let names = SoundFile.names(in: file) { (title, artist) = names }
        self = shortened
    }

    var shortened: AudioTags {
        var tags = self
        (tags.title, tags.artist) = (title.flatMap(Self.clean), artist.flatMap(Self.clean))
        (tags.album, tags.isrc) = (album.flatMap(Self.clean), isrc.flatMap(Self.clean))
        tags.artworkURL = artworkURL.flatMap(Self.clean)
        tags.genres = genres.prefix(Self.mostValues).compactMap(Self.clean)
        return tags
    }

    private static func clean(_ text: String) -> String? {
        let visible = text.unicodeScalars.lazy.map {
            $0.properties.generalCategory == .control ? " " : $0
        }.prefix(4 * longestText)
        let words = String(String.UnicodeScalarView(visible)).split(separator: " ").joined(separator: " ")
        return words.isEmpty ? nil : String(words.prefix(longestText))
    }
}
