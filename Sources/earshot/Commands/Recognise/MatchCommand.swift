import ArgumentParser
import AudioCore
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
            The first four queries without a match are also looked up at other speeds. A warning names the reference and \
            the speed, and the sample rate that would fit.

            A query of the same music in another recording, played with other sounds, is no match: \
            its reference is named as related.

            --format csv makes a table, labels those of an audio editor, \
            and cue a cue sheet, which has at most 99 tracks. With --wall-clock text, table and lines of JSON also \
            have times of day, which pass midnight.

            \(AnswerOptions.dialect)
            """)

    @OptionGroup var references: CatalogOptions
    @Option(help: "A text file or pipe with the path of a query on each line.", completion: .file())
    var files: String?
    @OptionGroup var answers: AnswerOptions
    @Option(
        parsing: .unconditional,
        help:
            "Print all references with at least this score, not only the accepted ones, and only such passages."
    )
    var minimumScore: Double?
    @Option(help: "Print only passages of at least this many seconds.")
    var minimumSeconds: Double?
    @OptionGroup var clock: WallClockOptions
    @OptionGroup var tracks: TrackOptions
    @OptionGroup var damage: DamageOptions
    @OptionGroup var decoding: SandboxOptions
    @Argument(
        help: "The query files: audio, video and signatures; - for standard input.", completion: .file())
    var queries: [String] = []

    func validate() throws {
        try require("--minimum-score", minimumScore, in: -1e6...1e6)
        try require("--minimum-seconds", minimumSeconds, in: 0...1e6)
        try reject(
            if: (files == nil) == queries.isEmpty, "Name the queries either as arguments or with --files.")
        try reject(
            if: clock.wallClock != nil && queries.count != 1,
            "--wall-clock is the beginning of one recording: name one query")
    }

    func run() throws {
        var (list, named) = (try files.map(PathList.init(path:)), queries.makeIterator())
        let catalog = try references.open()
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
        while let path = try list?.next() ?? named.next() {
            var passages: [AnswerLine.Answer] = []
            var isPrinted = false
            let display = ProgressDisplay()
            let result = matcher.match(
                path, track: tracks.track, strict: damage.strict,
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
            TrackOptions.note(result.mixing, of: path)
            try damage.note(result.damage, of: path)
            if result.error == nil, result.answers.isEmpty, !isPrinted, passages.isEmpty { unknown += 1 }
            if let hint = result.hint { StandardError.warn("\(path): \(hint)") }
            if result.answers.isEmpty, let seconds = result.durationSeconds {
                ShortAudio.warn(of: [(path, seconds)])
            }
            anyFailed = anyFailed || result.error != nil
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
