import ArgumentParser
import EarshotKit
import Fingerprinting

struct MatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match", abstract: "Look audio files up in a catalog",
        discussion: """
            Prints one line of JSON for each query, in order. A query that cannot be read is a line with an error; the \
            others go on, and the exit code is 1. "matchOffset" is the reference time at the query's beginning, in \
            seconds. "frequencySkew" and "timeSkew" are fractions: 0.01 where the query is 1 % higher, or plays \
            the reference 1 % faster. "score" is the log-odds of a match, "confidence" its probability.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case jsonl }

    @Option(help: "The catalog file.")
    var catalog: String
    @Option(help: "A text file that lists the queries, one path a line.")
    var files: String?
    @Option(help: "The form of the answers.")
    var format: Format = .jsonl
    @Option(
        parsing: .unconditional,
        help: "Name all references with at least this score, not only the accepted ones.")
    var minimumScore: Double?
    @Argument(help: "The query files.")
    var queries: [String] = []

    func validate() throws {
        try require("--minimum-score", minimumScore, in: -1e6...1e6)
        try reject(
            if: (files == nil) == queries.isEmpty, "Name the queries either as arguments or with --files.")
    }

    func run() throws {
        let paths = try files.map(BatchMatcher.paths(listedIn:)) ?? queries
        let matcher = BatchMatcher(
            catalog: try CatalogFile.open(catalog), minimumScore: minimumScore,
            title: { $0.mediaItem.firstTitle })
        var anyFailed = false
        for path in paths {
            let line = matcher.match(path)
            anyFailed = anyFailed || line.error != nil
            try StandardOutput.print(line.json)
        }
        if anyFailed { throw ExitCode(1) }
    }
}
