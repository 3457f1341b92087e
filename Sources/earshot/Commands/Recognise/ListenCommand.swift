import ArgumentParser
import EarshotKit

struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Recognise audio live",
        discussion: """
            Listens to the microphone. --raw reads samples from standard input instead, for example:

              ffmpeg -i show.mp4 -ac 1 -ar 44100 -f s16le - |
                earshot listen --catalog show.earcatalog --raw s16le

            Prints one line for each event: a match, the start or end of a media item's time range, a match that \
            continues (every 5 s), no match. The first match takes at least 0.75 s of audio. The exit code is 1 if the \
            microphone fails, or if the input ends within a sample.

            --changes prints one line when a song begins, one when it ends, and one when nothing plays any more, each \
            with its time of day. Of several songs at once it follows one. A song that is joined or left in its middle \
            has begun or ended a few seconds earlier or later. A line of JSON then has a "change" (begins, ends or \
            nothing), its "time", its "seconds" of the stream, and the "answer".

            \(AnswerOptions.dialect)

            The query is the latest audio, of "durationSeconds". "heardSeconds" is the length of the stream so far.
            """)

    @OptionGroup var references: CatalogOptions
    @Option(
        help: ArgumentHelp(
            "The source to record, by its name in `pactl list short sources`. (default: the server's)",
            discussion: "A source whose name ends in .monitor has the sound that this machine plays.")
    )
    var device: String?
    @Option(help: "Read samples of this format from standard input instead.")
    var raw: RawSamples?
    @Option(help: "The sample rate of --raw, in hertz.")
    var rate = 44_100
    @Option(help: "The channels of --raw, interleaved.")
    var channels = 1
    @OptionGroup var answers: AnswerOptions
    @Flag(help: "Print a line only when what plays changes, with the time of day.")
    var changes = false
    @OptionGroup var clock: WallClockOptions
    @Flag(help: "End with the first match.")
    var once = false

    func validate() throws {
        try require("--rate", rate, in: 1000...768_000, unit: "Hz")
        try require("--channels", channels, in: 1...64)
        try reject(
            if: ![.text, .jsonl].contains(answers.form),
            "--format is text or jsonl here: a stream has no passages")
        try reject(if: raw != nil && device != nil, "--raw and --device exclude each other")
        try reject(if: clock.wallClock != nil && !changes, "--wall-clock belongs to --changes")
    }

    func run() async throws {
        let catalog = try references.open()
        var songs = changes ? SongChanges(clock.wallClock ?? WallClock()) : nil
        guard let raw else { return try await hearMicrophone(catalog, &songs) }
        var input = RawInput(raw, sampleRate: rate, channelCount: channels)
        try input.match(against: catalog) { try goesOn(after: $0, heardSeconds: $1, &songs) }
        try show(songs?.end(atSeconds: input.heardSeconds) ?? []) { [$0.text] }
    }

    private func hearMicrophone(_ catalog: SHCatalog, _ songs: inout SongChanges?) async throws {
        let session = SHManagedSession(catalog: catalog, device: device)
        defer { session.cancel() }
        let clock = PlaybackClock.continuous
        let start = clock.seconds
        for await outcome in session.results {
            let isLast = try !goesOn(after: outcome, heardSeconds: clock.seconds - start, &songs)
            if case .error(let error, _) = outcome { throw error }
            if isLast { break }
        }
    }

    /// Prints an outcome and says whether more are wanted.
    private func goesOn(
        after outcome: SHSession.Result, heardSeconds seconds: Double, _ songs: inout SongChanges?
    ) throws -> Bool {
        let line = AnswerLine(outcome, heardSeconds: seconds)
        if line.error == nil, let changes = songs?.changes(by: line, heardSeconds: seconds) {
            try show(changes) { [$0.text] }
        } else {
            try show([line]) { $0.text() }
        }
        return !once || line.answers.isEmpty
    }

    private func show<Line: Encodable>(_ lines: [Line], _ text: (Line) -> [String]) throws {
        for line in lines {
            for text in try answers.isText ? text(line) : [line.jsonLine()] { try StandardOutput.print(text) }
        }
    }
}

extension RawSamples: ExpressibleByArgument {}
