/// What a recording of rendered scores is made from; its text is the path in the lock.
///
/// The text is `HALF/PACKAGE/FILE@RENDITION`, or `HALF/PACKAGE/FILE:ENTRY@RENDITION` for a score in an archive.
package struct RenditionPlace: Hashable, Sendable, CustomStringConvertible {
    /// What locks give as the package of such a recording.
    package static let package = "renditions"

    package var half: CorpusHalf
    package var package: String
    package var file: String
    /// The name within an archive; empty in a MIDI file.
    package var entry: String
    package var rendition: Rendition

    package init(half: CorpusHalf, package: String, file: String, entry: String, rendition: Rendition) {
        self.half = half
        self.package = package
        self.file = file
        self.entry = entry
        self.rendition = rendition
    }

    /// Reads ``description``.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 2)
        guard parts.count == 3, let half = CorpusHalf(rawValue: String(parts[0])),
            let at = parts[2].lastIndex(of: "@"),
            let rendition = Rendition(rawValue: String(parts[2][parts[2].index(after: at)...]))
        else { return nil }
        let score = parts[2][..<at].split(separator: ":", maxSplits: 1)
        guard let file = score.first else { return nil }
        self.init(
            half: half, package: String(parts[1]), file: String(file),
            entry: score.count > 1 ? String(score[1]) : "", rendition: rendition)
    }

    package var description: String {
        "\(half.rawValue)/\(package)/\(file)\(entry.isEmpty ? "" : ":\(entry)")@\(rendition.rawValue)"
    }

    /// The name of the piece: the package, the stem of the file, and the name within an archive.
    package var piece: String {
        let stem = FileNames.stem(String(file.split(separator: "/").last ?? ""))
        return "\(package)/\(stem)\(entry.isEmpty ? "" : "/\(entry)")"
    }

    /// The name of the piece of a recording in the corpus.
    package static func piece(of id: String) -> String {
        id.lastIndex(of: "@").map { String(id[..<$0]) } ?? id
    }

    /// The name of the recording in the corpus.
    package var id: String { "\(piece)@\(rendition.rawValue)" }
}
