import ArgumentParser
import EarshotKit
import Synchronization

struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Recognise what plays, live",
        discussion: """
            Listens to the microphone, or with --raw to samples on standard input, and prints a line of JSON for each \
            outcome: when references are heard, when a media item's time range begins or ends, every 5 s while a match \
            goes on, and when nothing is recognised. "items" are the media items that apply, the best first; "position" is \
            the reference time that is heard, in seconds; "frequencySkew" and "timeSkew" are fractions, 0.01 where it is \
            1 % higher or plays 1 % faster. Recognition begins after 0.75 s. For example
              ffmpeg -i show.mp4 -ac 1 -ar 44100 -f s16le - | earshot listen --catalog show.earcatalog --raw s16le
            The exit code is 1 when the microphone fails or the input ends within a sample.
            """)

    @Option(help: "The catalog file.")
    var catalog: String

    @Option(
        help: "The source to record, as `pactl list short sources` names it; by default the server's default."
    )
    var device: String?

    @Option(help: "Read samples of this form from standard input instead.")
    var raw: RawSamples?

    @Option(help: "The sample rate of --raw, in hertz.")
    var rate = 44_100

    @Option(help: "The channels of --raw, interleaved.")
    var channels = 1

    @Flag(help: "End with the first match.")
    var once = false

    func validate() throws {
        guard (1000...768_000).contains(rate) else {
            throw ValidationError("--rate \(rate) is not in 1000...768000 Hz")
        }
        guard (1...64).contains(channels) else {
            throw ValidationError("--channels \(channels) is not in 1...64")
        }
        if raw != nil, device != nil { throw ValidationError("--raw and --device exclude each other") }
    }

    func run() async throws {
        let references = SHCustomCatalog()
        try references.add(from: URL(fileURLWithPath: catalog))
        if let raw {
            try hear(raw, references)
        } else {
            try await hearMicrophone(references)
        }
    }

    private func hearMicrophone(_ references: SHCustomCatalog) async throws {
        let session = SHManagedSession(catalog: references, device: device)
        defer { session.cancel() }
        let clock = PlaybackClock.continuous
        let start = clock.seconds
        for await outcome in session.results {
            let line = HeardLine(outcome, heardSeconds: clock.seconds - start)
            try StandardOutput.print(line.json())
            if case .error(let error, _) = outcome { throw error }
            if once, !line.items.isEmpty { break }
        }
    }

    /// Matches standard input, whose samples are the clock.
    private func hear(_ form: RawSamples, _ references: SHCustomCatalog) throws {
        let clock = ManualClock()
        let session = SHSession(catalog: references, clock: PlaybackClock(clock))
        let listener = Listener()
        session.delegate = listener
        var input = RawInput(form, sampleRate: rate, channelCount: channels)
        while let buffer = try input.next() {
            clock.advance(by: .seconds(Double(buffer.frameLength) / Double(rate)))
            session.matchStreamingBuffer(buffer, at: nil)
            for outcome in listener.take() {
                let line = HeardLine(outcome, heardSeconds: input.heardSeconds)
                try StandardOutput.print(line.json())
                if once, !line.items.isEmpty { return }
            }
        }
    }
}

extension RawSamples: ExpressibleByArgument {}

/// Keeps the outcomes of a buffer until they are printed.
private final class Listener: NSObject, SHSessionDelegate {
    private let outcomes = Mutex<[SHSession.Result]>([])

    func session(_ session: SHSession, didFind match: SHMatch) {
        outcomes.withLock { $0.append(.match(match)) }
    }

    func session(
        _ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?
    ) {
        outcomes.withLock { $0.append(error.map { .error($0, signature) } ?? .noMatch(signature)) }
    }

    func take() -> [SHSession.Result] {
        outcomes.withLock { outcomes in
            defer { outcomes = [] }
            return outcomes
        }
    }
}
