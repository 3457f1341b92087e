import ArgumentParser
import EarshotKit

struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Recognise what plays, live",
        discussion: """
            Listens to the microphone, or with --raw to samples on standard input, and prints a line for each outcome, \
            text on a terminal and JSON elsewhere: when references are heard, when a media item's time range begins or ends, every 5 s while a match \
            goes on, and when nothing is recognised. "items" are the media items that apply, the best first, each with all \
            its "properties"; "position" is \
            the reference time that is heard, in seconds; "frequencySkew" and "timeSkew" are fractions, 0.01 where it is \
            1 % higher or plays 1 % faster. Recognition begins after 0.75 s. For example
              ffmpeg -i show.mp4 -ac 1 -ar 44100 -f s16le - | earshot listen --catalog show.earcatalog --raw s16le
            The exit code is 1 when the microphone fails or the input ends within a sample.
            """)

    @Option(
        help: "The catalog file, or the address of a server (http://…). Several files are looked up as one.",
        completion: .catalogs)
    var catalog: [String]
    @Option(
        help: ArgumentHelp(
            "The source to record, as `pactl list short sources` names it; by default the server's default.",
            discussion: "A source whose name ends in .monitor has what this machine plays.")
    )
    var device: String?
    @Option(help: "Read samples of this form from standard input instead.")
    var raw: RawSamples?
    @Option(help: "The sample rate of --raw, in hertz.")
    var rate = 44_100
    @Option(help: "The channels of --raw, interleaved.")
    var channels = 1
    @OptionGroup var answers: AnswerOptions
    @Flag(help: "End with the first match.")
    var once = false
    @Flag(help: "Show all media items, also outside their time and skew ranges.")
    var all = false

    func validate() throws {
        try require("--rate", rate, in: 1000...768_000, unit: "Hz")
        try require("--channels", channels, in: 1...64)
        try reject(if: raw != nil && device != nil, "--raw and --device exclude each other")
    }

    func run() async throws {
        let references = try SHCatalog.named(catalog)
        references.showsAllItems = all
        guard let raw else { return try await hearMicrophone(references) }
        var input = RawInput(raw, sampleRate: rate, channelCount: channels)
        try input.match(against: references, take: goesOn(after:))
    }

    private func hearMicrophone(_ references: SHCatalog) async throws {
        let session = SHManagedSession(catalog: references, device: device)
        defer { session.cancel() }
        let clock = PlaybackClock.continuous
        let start = clock.seconds
        for await outcome in session.results {
            let isLast = try !goesOn(after: HeardLine(outcome, heardSeconds: clock.seconds - start))
            if case .error(let error, _) = outcome { throw error }
            if isLast { break }
        }
    }

    /// Prints an outcome and says whether more are wanted.
    private func goesOn(after line: HeardLine) throws -> Bool {
        try StandardOutput.print(answers.isText ? line.text : line.json())
        return !once || line.items.isEmpty
    }
}

extension RawSamples: ExpressibleByArgument {}
