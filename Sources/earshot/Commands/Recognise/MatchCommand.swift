import ArgumentParser
import AudioCore
import EarshotKit
import Fingerprinting
import SystemIO

struct MatchCommand: ParsableCommand, DecodingCommand {
    static let configuration = CommandConfiguration(
        commandName: "match", abstract: "Recognise audio files and signatures with a catalog",
        discussion: """
            Prints the answers to each query, in the order of the queries. If a query cannot be read, an error takes the \
            place of its answers, the other queries continue, and the exit code is 1. A media item can apply to a part of \
            its reference only. If no item of a reference applies at the query's end, and items of another answer do, the \
            reference is omitted.

            A query longer than 30 s is searched for passages. A passage is a stretch of the query that holds a reference, \
            with begin and end. Passages are printed in the order of their beginnings. A server finds no passages. Four \
            queries without a match are also looked up at other speeds. If a reference matches at another speed, a \
            warning names the reference, the speed and the sample rate that would fit.

            Another recording of the same music is no match. Its reference is printed as related.

            --format csv prints a table, labels prints labels for an audio editor, and cue prints a cue sheet of at most 99 \
            tracks. With --wall-clock, text, table and lines of JSON also have times of day.

            \(AnswerDialect.text)
            """)

    @OptionGroup var references: CatalogOptions
    @Option(
        help: "A text file, playlist or pipe with the path of a query on each line; - for standard input.",
        completion: .file())
    var files: String?
    @OptionGroup var answers: AnswerOptions<AnswerFormat>
    @Option(
        parsing: .unconditional,
        help:
            "Print all references and passages with at least this score, also those that are not accepted."
    )
    var minimumScore: Double?
    @Option(help: "Print only passages of at least this many seconds.")
    var minimumSeconds: Double?
    @OptionGroup var clock: WallClockOptions
    @OptionGroup var reading: ReadingOptions
    @Argument(
        help: "The query files: audio, video and signatures; - for standard input.", completion: .file())
    var queries: [String] = []

    var decoding: SandboxOptions { reading.decoding }

    func validate() throws {
        try require("--minimum-score", minimumScore, in: -1e6...1e6)
        try require("--minimum-seconds", minimumSeconds, in: 0...1e6)
        try reject(
            if: (files == nil) == queries.isEmpty, "Name the queries either as arguments or with --files.")
        try reject(
            if: clock.wallClock != nil && queries.count != 1,
            "--wall-clock is the beginning of one recording. Name one query")
        if [.labels, .cue].contains(answers.form) {
            try refuse(["--wall-clock"], "with --format \(answers.form.rawValue)")
        }
        if references.catalog.contains(where: CatalogClient.isAddress) {
            try refuse(["--minimum-seconds"], "on a server, which finds no passages")
        }
    }

    func run() throws {
        var list = try files.map { files in
            try PathList(path: files == "-" ? "/dev/stdin" : files) { FileStamp(path: $0) != nil }
        }
        var named = queries.makeIterator()
        let catalog = try references.open(for: queries)
        let matcher = try catalog.batchMatcher(minimumScore: minimumScore)
        // A list may be a pipe, which is read as the queries are matched.
        let width = min(32, queries.map { AnswerLine.name(of: $0).count }.max() ?? 32)
        let wallClock = clock.wallClock
        var printer = AnswerPrinter(answers, nameWidth: width, timesOfDay: wallClock != nil)
        // A clock that stays at the end of each file.
        let end = PlaybackClock(ManualClock())
        func found(_ matches: [Match], endingAt seconds: Double?) -> [AnswerLine.Answer] {
            let items = catalog.mediaItems(
                of: matches, queryDuration: seconds ?? 0, endingAtSeconds: 0, of: end)
            return AnswerLine.Answer.all(of: items, wallClock)
        }
        var anyFailed = false
        var unknown = 0
        while let query = try list?.next()?.path ?? named.next().map(Result.success) {
            guard case .success(let path) = query else {
                if case .failure(let fault) = query { try printer.print(AnswerLine(fault)) }
                anyFailed = true
                continue
            }
            var passages: [AnswerLine.Answer] = []
            var isPrinted = false
            let display = ProgressDisplay()
            var result = matcher.match(
                path, track: reading.track, strict: reading.strict,
                explains: minimumScore == nil && unknown < Self.mostExplained,
                passages: BatchMatcher.Passages { match in
                    guard isWanted(match) else { return }
                    let passage = found([match], endingAt: match.queryRange?.upperBound)
                    if answers.json { return passages += passage }
                    try catalog.requireIntact()
                    try printer.print(AnswerLine(passage: passage, of: path))
                    isPrinted = true
                } progress: { seconds, whole in
                    guard let whole, whole > Self.leastShownSeconds else { return }
                    display.show(
                        AnswerLine.name(of: path), done: Int(bounded: min(seconds, whole)),
                        of: Int(bounded: whole))
                })
            try reading.note(result.remark, result.damage, of: path)
            if result.error == nil, result.answers.isEmpty, !isPrinted, passages.isEmpty { unknown += 1 }
            if let hint = result.hint { StandardError.warn("\(path): \(hint)") }
            if result.answers.isEmpty, let seconds = result.durationSeconds {
                ShortAudio.warn(of: [(path, seconds)])
            }
            anyFailed = anyFailed || result.error != nil
            result.error = result.error.map(Advice.text)
            let line = AnswerLine(
                result, answers: passages + found(result.answers, endingAt: result.durationSeconds),
                related: result.related.compactMap { match in
                    AnswerLine.Relative(
                        match, title: found([match], endingAt: result.durationSeconds).first?.title)
                })
            // The lines have media items that were read after the match.
            if result.error == nil { try catalog.requireIntact() }
            if !isPrinted || result.error != nil { try printer.print(line) }
        }
        if anyFailed { throw ExitCode(1) }
    }

    private func isWanted(_ passage: Match) -> Bool {
        passage.score >= minimumScore ?? -.infinity
            && (passage.queryRange?.length ?? 0) >= minimumSeconds ?? 0
    }

    /// How many queries without a match are looked up at other speeds, which takes long.
    private static let mostExplained = 4
    /// The length from which progress is shown, in seconds.
    private static let leastShownSeconds = 600.0
}
