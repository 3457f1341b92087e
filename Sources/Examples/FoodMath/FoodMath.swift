import ArgumentParser
import ShazamKit
import Tune

@main
struct FoodMath: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "food-math", abstract: "Show questions and answers in step with a lesson",
        discussion: """
            The table has a row for the lesson and one per question or answer, with the columns title, timeRanges, \
            question and answer. Without a recording the program listens to the microphone until it is stopped. Without \
            any file it makes a lesson, and plays that to itself.
            """)

    @Argument(help: "The lesson: audio, or video with audio.", transform: URL.init(fileURLWithPath:))
    var lesson: URL?
    @Argument(help: "The table of media items (CSV).") var table: String?
    @Argument(help: "A recording of the lesson being played.", transform: URL.init(fileURLWithPath:))
    var recording: URL?
    @Flag(help: "Play the recording in real time.") var realTime = false

    func run() async throws {
        guard let lesson else { return try demonstrate() }
        guard let table else { throw ValidationError("No table. Add one after the lesson.") }
        let catalog = SHCustomCatalog()
        let signature = try await SHSignatureGenerator.signature(from: AVURLAsset(url: lesson))
        try catalog.addReferenceSignature(signature, representing: MediaItemTable(contentsOf: table).items)
        if let recording {
            try await play(recording, catalog)
        } else {
            try await listen(catalog)
        }
    }

    private func demonstrate() throws {
        let lesson = Tune.samples(0, seconds: 24)
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(
            Tune.signature(lesson),
            representing: [
                SHMediaItem(properties: [.title: "Food Math"]),
                SHMediaItem(properties: [.question: "2 apples and 3 apples", .timeRanges: [6.0..<14.0]]),
                SHMediaItem(properties: [.answer: 5, .timeRanges: [10.0..<14.0]]),
            ])
        let clock = ManualClock()
        let matcher = LessonMatcher(catalog: catalog, clock: PlaybackClock(clock)) { screen in
            Self.print(screen, at: clock.now.elapsed)
        }
        // 20 ms.
        let frames = Tune.sampleRate / 50
        for start in stride(from: 0, to: lesson.count, by: frames) {
            clock.advance(by: .milliseconds(20))
            matcher.match(Tune.buffer(lesson[start..<min(lesson.count, start + frames)]), at: nil)
        }
    }

    private func play(_ recording: URL, _ catalog: SHCustomCatalog) async throws {
        let clock = ManualClock()
        let start = ContinuousClock.now
        let isRealTime = realTime
        let matcher = LessonMatcher(
            catalog: catalog, clock: isRealTime ? nil : PlaybackClock(clock)
        ) { screen in
            let heard = isRealTime ? ContinuousClock.now - start : clock.now.elapsed
            Self.print(screen, at: heard)
        }
        try await RecordingPlayer(recording).play(isRealTime ? .realTime : .driving(clock)) {
            matcher.match($0, at: $1)
        }
    }

    private func listen(_ catalog: SHCustomCatalog) async throws {
        let start = ContinuousClock.now
        let matcher = LessonMatcher(catalog: catalog) { Self.print($0, at: ContinuousClock.now - start) }
        let engine = AVAudioEngine()
        engine.inputNode.installTap(
            onBus: 0, bufferSize: 2048, format: engine.inputNode.outputFormat(forBus: 0)
        ) { buffer, time in matcher.match(buffer, at: time) }
        engine.prepare()
        try engine.start()
        while engine.isRunning { try await Task.sleep(for: .seconds(1)) }
    }

    private static func print(_ screen: LessonScreen, at time: Duration) {
        let seconds = time.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 2)))
        Swift.print("\(seconds): \(screen)")
        fflush(nil)
    }
}
