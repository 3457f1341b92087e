import ArgumentParser
import EarshotKit

struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Recognise live audio from a microphone or standard input",
        discussion: """
            Records the microphone. --raw reads samples from standard input instead, for example:

              ffmpeg -i show.mp4 -ac 1 -ar 44100 -f s16le - |
                earshot listen --catalog show.earcatalog --raw s16le

            Prints a line for each event: a match, a match that continues (every 5 s), the start or end of a media item's \
            time range, or no match. The first match needs at least 0.75 s of audio. The exit code is 1 if the microphone \
            fails, or if the input ends within a sample.

            --changes prints a line when a song begins, when the song ends, and when nothing plays. Each line has the time \
            of day. If several songs play at once, --changes follows one of them. If a song starts or stops in its middle, \
            the time can be wrong by a few seconds. A line of JSON has a "change" (begins, ends or nothing), the "time", \
            the "seconds" of the stream, and the "answer".

            \(AnswerDialect.text)

            The query is the latest audio, and "durationSeconds" is its length. "heardSeconds" is the length of the stream.
            """)

    @OptionGroup var references: CatalogOptions
    @Option(
        help: ArgumentHelp(
            "The source to record, by its name in `pactl list short sources`. (default: the server's)",
            discussion: "A source with a name that ends in .monitor is the sound that this machine plays.")
    )
    var microphone: String?
    @Option(help: "Read samples of this format from standard input.")
    var raw: RawSamples?
    @Option(help: "The sample rate of --raw, in hertz.")
    var rate = 44_100
    @Option(help: "The channels of --raw, interleaved.")
    var channels = 1
    @OptionGroup var answers: AnswerOptions<StreamFormat>
    @Flag(help: "Print a line only when another song plays, with the time of day.")
    var changes = false
    @OptionGroup var clock: WallClockOptions
    @Flag(help: "Stop after the first match.")
    var once = false

    func validate() throws {
        try require("--rate", rate, in: 1000...768_000, unit: "Hz")
        try require("--channels", channels, in: 1...64)
        try require(["--rate", "--channels"], with: "--raw")
        try exclude("--microphone", "--raw")
        try require(["--wall-clock"], with: "--changes")
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
        let session = SHManagedSession(catalog: catalog, device: microphone)
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
