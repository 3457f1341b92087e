import ArgumentParser
import EarshotKit

/// The options that choose the form of answers.
struct AnswerOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable { case text, jsonl }

    @Option(help: "The form of the answers. (default: text on a terminal, lines of JSON elsewhere)")
    var format: Format?
    @Flag(help: "The same as --format jsonl.")
    var json = false

    func validate() throws {
        try reject(if: json && format == .text, "--json and --format text exclude each other")
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

        "items" are the media items that apply at the query's end, each with its "id" and all its "properties".
        """

    var isText: Bool { !json && (format ?? (StandardOutput.isTerminal ? .text : .jsonl)) == .text }
}

/// The options that choose the catalog of a look-up, and the media items of answers.
struct CatalogOptions: ParsableArguments {
    @Option(
        help: "The catalog file, or the address of a server (http://…). Several files are looked up as one.",
        completion: .catalogs)
    var catalog: [String]
    @Flag(help: "Show all media items, also outside their time and skew ranges.")
    var all = false

    func open() throws -> SHCatalog {
        let references = try SHCatalog.named(catalog)
        references.showsAllItems = all
        return references
    }
}
