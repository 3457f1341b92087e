import ArgumentParser
import EarshotKit
import Fingerprinting
import Foundation
import SystemIO

/// The forms of answers to files.
enum AnswerFormat: String, ExpressibleByArgument, CaseIterable { case text, jsonl, csv, labels, cue }

/// The forms of answers to a stream, which has no passages.
enum StreamFormat: String, ExpressibleByArgument, CaseIterable { case text, jsonl }

/// The options that choose the form of answers.
struct AnswerOptions<Format: RawRepresentable<String> & ExpressibleByArgument>: ParsableArguments {
    @Option(help: "The format of the answers. (default: text on a terminal, lines of JSON elsewhere)")
    var format: Format?
    @Flag(help: "Print JSON: one line for each query, at its end.")
    var json = false

    func validate() throws {
        try reject(
            if: json && format != nil && form != .jsonl, "--json and another --format exclude each other")
    }

    /// The form of answers here: text on a terminal, lines of JSON elsewhere, unless one was asked for.
    var form: AnswerFormat {
        format.flatMap { AnswerFormat(rawValue: $0.rawValue) }
            ?? (StandardOutput.isTerminal && !json ? .text : .jsonl)
    }

    var isText: Bool { form == .text }
}

/// The members of lines of JSON, for help texts.
enum AnswerDialect {
    static let text = """
        A line of JSON has the "answers" and an "error" or null. The best answer is first; passages are in order of time. \
        Each answer has a "reference", a "title" and these numbers:

          - matchOffset: reference time at the query's beginning, in seconds
          - predictedCurrentMatchOffset: reference time at the query's end, in seconds
          - frequencySkew: 0.01 if the query is 1 % higher
          - timeSkew: 0.01 if the query plays the reference 1 % faster
          - score: log-odds of a match
          - confidence: probability of a match
          - queryRange, referenceRange: begin and end of the match in query and reference, in seconds, for files
          - timesOfDay: begin and end of the match as times of day, with --wall-clock
          - alternatives: other values of matchOffset, if the reference repeats itself

        "items" are the media items that apply at the query's end. Each item has an "id" and all its "properties". The \
        "id" of an answer is the reference again, for programs that were written for 0.1.0.
        """
}

/// The options that choose the catalog of a look-up, and the media items of answers.
struct CatalogOptions: ParsableArguments {
    @Option(
        name: [.long, .customShort("c")],
        help: "The catalog file, or the address of a server (http://…). Several files count as one catalog.",
        completion: .catalogs)
    var catalog: [String]
    @Flag(help: "Print all media items, also outside their time and skew ranges.")
    var all = false

    /// Opens the catalogs to look `queries` up in.
    func open(for queries: [String] = []) throws -> SHCatalog {
        if let query = queries.first(where: { OwnFile.letters(of: $0) == OwnFile.catalog }),
            let path = catalog.first(where: {
                FileStamp(path: $0) != nil && OwnFile.letters(of: $0) != OwnFile.catalog
            })
        {
            throw CommandError(
                description: "\(path) is not a catalog, and the query \(query) is one. Exchange them: "
                    + CommandText.line(["earshot", "match", "--catalog", query, path]))
        }
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
