import ArgumentParser
import EarshotKit
import Fingerprinting
import Foundation

/// The options that choose the form of answers.
struct AnswerOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable { case text, jsonl, csv, labels, cue }

    @Option(help: "The form of the answers. (default: text on a terminal, lines of JSON elsewhere)")
    var format: Format?
    @Flag(help: "Lines of JSON, and only one for each query, at its end.")
    var json = false

    func validate() throws {
        try reject(
            if: json && format != nil && format != .jsonl, "--json and another --format exclude each other")
    }

    /// The members of lines of JSON, for help texts.
    static let dialect = """
        A line of JSON has the "answers", best first, and an "error" or null. Each answer has a "reference", a "title" \
        and these numbers:

          - matchOffset: reference time at the query's beginning, in seconds
          - predictedCurrentMatchOffset: reference time at the query's end, in seconds
          - frequencySkew: 0.01 if the query is 1 % higher
          - timeSkew: 0.01 if the query plays the reference 1 % faster
          - score: log-odds of a match
          - confidence: probability of a match
          - queryRange, referenceRange: begin and end in seconds of what is heard, in a file
          - timesOfDay: the same as times of day, with --wall-clock
          - alternatives: other values of matchOffset, where the reference repeats itself

        "items" are the media items that apply at the query's end, each with its "id" and all its "properties". The \
        "id" of an answer is its reference, as 0.1.0 called it.
        """

    /// The form of answers here: text on a terminal, lines of JSON elsewhere, unless one was asked for.
    var form: Format { json ? .jsonl : format ?? (StandardOutput.isTerminal ? .text : .jsonl) }

    var isText: Bool { form == .text }
}

/// The options that choose the catalog of a look-up, and the media items of answers.
struct CatalogOptions: ParsableArguments {
    @Option(
        name: [.long, .customShort("c")],
        help: "The catalog file, or the address of a server (http://…). Several files are looked up as one.",
        completion: .catalogs)
    var catalog: [String]
    @Flag(help: "Show all media items, also outside their time and skew ranges.")
    var all = false

    func open() throws -> SHCatalog {
        for path in catalog where OutputPath.isFolder(path) {
            let inside = try CatalogLocation(URL(fileURLWithPath: path)).path
            if FileManager.default.fileExists(atPath: inside) { continue }
            let file = OutputPath.file(nil, for: path, extension: CatalogFile.fileExtension)
            throw CommandError(
                description: "\(path) is a folder, not a catalog. Make a catalog of its recordings: "
                    + CommandText.line(["earshot", "custom-catalog", "create", "-s", path, "-o", file]))
        }
        let references = try SHCatalog.named(catalog)
        for (path, source) in (references as? SHCustomCatalog)?.files ?? [] {
            EarlierFormat.note(path, source)
        }
        references.showsAllItems = all
        return references
    }
}
