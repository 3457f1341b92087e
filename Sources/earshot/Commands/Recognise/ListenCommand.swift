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
    @Flag(help: "End with the first match.")
    var once = false

    func validate() throws {
        try require("--rate", rate, in: 1000...768_000, unit: "Hz")
        try require("--channels", channels, in: 1...64)
        try reject(
            if: ![.text, .jsonl].contains(answers.form),
            "--format is text or jsonl here: a stream has no passages")
        try reject(if: raw != nil && device != nil, "--raw and --device exclude each other")
    }

    func run() async throws {
        let catalog = try references.open()
        guard let raw else { return try await hearMicrophone(catalog) }
        var input = RawInput(raw, sampleRate: rate, channelCount: channels)
        try input.match(against: catalog) { try goesOn(after: AnswerLine($0, heardSeconds: $1)) }
    }

    private func hearMicrophone(_ catalog: SHCatalog) async throws {
        let session = SHManagedSession(catalog: catalog, device: device)
        defer { session.cancel() }
        let clock = PlaybackClock.continuous
        let start = clock.seconds
        for await outcome in session.results {
            let isLast = try !goesOn(after: AnswerLine(outcome, heardSeconds: clock.seconds - start))
            if case .error(let error, _) = outcome { throw error }
            if isLast { break }
        }
    }

    /// Prints an outcome and says whether more are wanted.
    private func goesOn(after line: AnswerLine) throws -> Bool {
        for text in try answers.isText ? line.text() : [line.json()] { try StandardOutput.print(text) }
        return !once || line.answers.isEmpty
    }
}

extension RawSamples: ExpressibleByArgument {}
