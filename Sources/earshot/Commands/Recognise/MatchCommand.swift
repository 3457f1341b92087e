import ArgumentParser
import EarshotKit
import Fingerprinting

struct MatchCommand: ParsableCommand, DecodingCommand {
    static let configuration = CommandConfiguration(
        commandName: "match", abstract: "Look audio files and signatures up in a catalog",
        discussion: """
            Prints the answers to each query, in order. A query that cannot be read has an error instead. The others \
            continue, and the exit code is 1. A reference is omitted if its media items do not apply where it is heard \
            last, but those of another answer do.

            A recording over 30 s has passages: what plays, from when to when. They are printed as soon as they are \
            sure, in the order of their beginnings. A server looks a recording up as one query, without passages. \
            --format csv makes a table, labels those of an audio editor, \
            and cue a cue sheet, which has at most 99 tracks.

            \(AnswerOptions.dialect)
            """)

    @OptionGroup var references: CatalogOptions
    @Option(help: "A text file or pipe with the path of a query on each line.", completion: .file())
    var files: String?
    @OptionGroup var answers: AnswerOptions
    @Option(
        parsing: .unconditional,
        help: "Print all references with at least this score, not only the accepted ones.")
    var minimumScore: Double?
    @OptionGroup var tracks: TrackOptions
    @OptionGroup var damage: DamageOptions
    @OptionGroup var decoding: SandboxOptions
    @Argument(
        help: "The query files: audio, video and signatures; - for standard input.", completion: .file())
    var queries: [String] = []

    func validate() throws {
        try require("--minimum-score", minimumScore, in: -1e6...1e6)
        try reject(
            if: (files == nil) == queries.isEmpty, "Name the queries either as arguments or with --files.")
    }

    func run() throws {
        var (list, named) = (try files.map(PathList.init(path:)), queries.makeIterator())
        let catalog = try references.open()
        let matcher = try catalog.batchMatcher(minimumScore: minimumScore)
        // A list may be a pipe, which is read as the queries are matched.
        let width = min(32, queries.map { AnswerLine.name(of: $0).count }.max() ?? 32)
        var printer = AnswerPrinter(answers, nameWidth: width)
        // A clock that stays at the end of each file.
        let clock = PlaybackClock(ManualClock())
        var anyFailed = false
        while let path = try list?.next() ?? named.next() {
            var passages: [SHMatchedMediaItem] = []
            var passageCount = 0
            let display = ProgressDisplay()
            let result = matcher.match(
                path, track: tracks.track, strict: damage.strict,
                passages: BatchMatcher.Passages { match in
                    passageCount += 1
                    let items = catalog.mediaItems(
                        of: [match], queryDuration: match.queryRange?.upperBound ?? 0, endingAtSeconds: 0,
                        of: clock)
                    if answers.json { return passages += items }
                    try catalog.requireIntact()
                    try printer.print(AnswerLine(passagesOf: path, items: items, durationSeconds: nil))
                } progress: { seconds, whole in
                    guard let whole, whole > Self.leastShownSeconds else { return }
                    display.show(
                        AnswerLine.name(of: path), done: Int(bounded: min(seconds, whole)),
                        of: Int(bounded: whole))
                })
            TrackOptions.note(result.mixing, of: path)
            try damage.note(result.damage, of: path)
            anyFailed = anyFailed || result.error != nil
            let items = catalog.mediaItems(
                of: result.answers, queryDuration: result.durationSeconds ?? 0, endingAtSeconds: 0, of: clock)
            // The lines have media items that were read after the match.
            if result.error == nil { try catalog.requireIntact() }
            if result.error == nil, result.matchMilliseconds == nil {
                guard answers.json || passageCount == 0 else { continue }
                try printer.print(
                    AnswerLine(passagesOf: path, items: passages, durationSeconds: result.durationSeconds))
            } else {
                try printer.print(AnswerLine(result, items: items + passages))
            }
        }
        if anyFailed { throw ExitCode(1) }
    }

    /// The length from which progress is shown, in seconds.
    private static let leastShownSeconds = 600.0
}
