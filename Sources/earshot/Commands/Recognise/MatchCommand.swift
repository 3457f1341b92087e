import ArgumentParser
import EarshotKit
import Fingerprinting

struct MatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match", abstract: "Look audio files and signatures up in a catalog",
        discussion: """
            Prints one line of JSON for each query, in order. A query that cannot be read is a line with an error; the \
            others go on, and the exit code is 1. "matchOffset" is the reference time at the query's beginning, in \
            seconds. "frequencySkew" and "timeSkew" are fractions: 0.01 where the query is 1 % higher, or plays \
            the reference 1 % faster. "score" is the log-odds of a match, "confidence" its probability. "items" are the \
            media items that apply at the query's end, each with its identifier and all its properties. A reference \
            whose items do not apply is left out beside one with items that do.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case jsonl }

    @Option(help: "The catalog file. Several are looked up as one.")
    var catalog: [String]
    @Option(help: "A text file or pipe that lists the queries, one path a line.")
    var files: String?
    @Option(help: "The form of the answers.")
    var format: Format = .jsonl
    @Option(
        parsing: .unconditional,
        help: "Name all references with at least this score, not only the accepted ones.")
    var minimumScore: Double?
    @Flag(help: "Show all media items, also outside their time and skew ranges.")
    var all = false
    @OptionGroup var damage: DamageOptions
    @Argument(help: "The query files: audio, video and signatures.")
    var queries: [String] = []

    func validate() throws {
        try require("--minimum-score", minimumScore, in: -1e6...1e6)
        try reject(
            if: (files == nil) == queries.isEmpty, "Name the queries either as arguments or with --files.")
    }

    func run() throws {
        var (list, named) = (try files.map(PathList.init(path:)), queries.makeIterator())
        let references = try SHCustomCatalog(merging: catalog)
        references.showsAllItems = all
        let engine = try references.engine()
        let matcher = BatchMatcher(catalog: engine, minimumScore: minimumScore)
        var anyFailed = false
        while let path = try list?.next() ?? named.next() {
            let result = matcher.match(path, strict: damage.strict)
            try damage.note(result.damage, of: path)
            anyFailed = anyFailed || result.error != nil
            let line = MatchLine(result, in: references).json
            // The line has media items that were read after the match.
            if result.error == nil { try engine.requireIntact() }
            try StandardOutput.print(line)
        }
        if anyFailed { throw ExitCode(1) }
    }
}
