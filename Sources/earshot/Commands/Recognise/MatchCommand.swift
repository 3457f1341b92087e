import ArgumentParser
import EarshotKit
import Fingerprinting

struct MatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match", abstract: "Look audio files and signatures up in a catalog",
        discussion: """
            Prints the answers to each query, in order: text on a terminal, elsewhere one line of JSON for each query. \
            A query that cannot be read is a line with an error; the others go on, and the exit code is 1. "matchOffset" is the reference time at the query's beginning, in \
            seconds. "frequencySkew" and "timeSkew" are fractions: 0.01 where the query is 1 % higher, or plays \
            the reference 1 % faster. "score" is the log-odds of a match, "confidence" its probability. "items" are the \
            media items that apply at the query's end, each with its identifier and all its properties. A reference \
            whose items do not apply is left out beside one with items that do.
            """)

    @Option(
        help: "The catalog file, or the address of a server (http://…). Several files are looked up as one.",
        completion: .catalogs)
    var catalog: [String]
    @Option(help: "A text file or pipe that lists the queries, one path a line.", completion: .file())
    var files: String?
    @OptionGroup var answers: AnswerOptions
    @Option(
        parsing: .unconditional,
        help: "Name all references with at least this score, not only the accepted ones.")
    var minimumScore: Double?
    @Flag(help: "Show all media items, also outside their time and skew ranges.")
    var all = false
    @OptionGroup var damage: DamageOptions
    @Argument(help: "The query files: audio, video and signatures.", completion: .file())
    var queries: [String] = []

    func validate() throws {
        try require("--minimum-score", minimumScore, in: -1e6...1e6)
        try reject(
            if: (files == nil) == queries.isEmpty, "Name the queries either as arguments or with --files.")
    }

    func run() throws {
        var (list, named) = (try files.map(PathList.init(path:)), queries.makeIterator())
        let references = try SHCatalog.named(catalog)
        references.showsAllItems = all
        let matcher = try references.batchMatcher(minimumScore: minimumScore)
        // A list may be a pipe, which is read as the queries are matched.
        let width = min(32, queries.map { MatchLine.name(of: $0).count }.max() ?? 32)
        var anyFailed = false
        while let path = try list?.next() ?? named.next() {
            let result = matcher.match(path, strict: damage.strict)
            TrackOptions.note(result.mixing, of: path)
            try damage.note(result.damage, of: path)
            anyFailed = anyFailed || result.error != nil
            let line = MatchLine(result, in: references)
            let lines = answers.isText ? line.text(nameWidth: width) : [line.json]
            // The lines have media items that were read after the match.
            if result.error == nil { try references.requireIntact() }
            for text in lines {
                try StandardOutput.print(answers.isText && result.error != nil ? Ink.red(text) : text)
            }
        }
        if anyFailed { throw ExitCode(1) }
    }
}
