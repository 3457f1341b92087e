import ArgumentParser
import ShazamKit
import Tune

@main
struct PartyLight: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "party-light", abstract: "Print the beats of a song that plays",
        discussion: """
            The program makes a song of 2 beats a second and plays it: as fast as possible into a session, or aloud to \
            the microphone. Between matches it predicts the position in the song.
            """)

    @Flag(help: "Play to the loudspeaker and listen to the microphone.") var aloud = false

    private static let secondsPerBeat = 0.5
    private static let beats = 40
    private static let seconds = 20

    func run() async throws {
        let song = Tune.samples(7, seconds: Self.seconds)
        let catalog = SHCustomCatalog()
        try catalog.addReferenceSignature(
            Tune.signature(song), representing: [SHMediaItem(properties: [.title: "Song 7"])])
        let player = AVAudioPlayerNode()
        let engine = AVAudioEngine()
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: Tune.format)
        player.scheduleBuffer(Tune.buffer(song), completionHandler: nil)
        player.play()
        if aloud {
            try await playAloud(engine, catalog)
        } else {
            try render(engine, catalog)
        }
    }

    private func playAloud(_ engine: AVAudioEngine, _ catalog: SHCustomCatalog) async throws {
        let session = SHManagedSession(catalog: catalog)
        await session.prepare()
        try engine.start()
        guard case .match(let match) = await session.result(), let item = match.mediaItems.first else {
            return print("the song is not heard")
        }
        var last: Int?
        while let beat = Self.beat(item), beat < Self.beats {
            if beat != last { Self.show(item, beat) }
            last = beat
            try await Task.sleep(for: .milliseconds(4))
        }
        engine.stop()
    }

    /// Renders 20 ms at a time, which a session follows by its own clock.
    private func render(_ engine: AVAudioEngine, _ catalog: SHCustomCatalog) throws {
        let clock = ManualClock()
        let session = SHSession(catalog: catalog, clock: PlaybackClock(clock))
        let light = Light()
        session.delegate = light
        let frames = AVAudioFrameCount(Tune.sampleRate / 50)
        try engine.enableManualRenderingMode(.offline, format: Tune.format, maximumFrameCount: frames)
        try engine.start()
        let block = Tune.buffer([Float](repeating: 0, count: Int(frames)))
        var last: Int?
        for _ in 0..<Self.seconds * 50 {
            _ = try engine.renderOffline(frames, to: block)
            clock.advance(by: .milliseconds(20))
            session.matchStreamingBuffer(block, at: nil)
            guard let item = light.item, let beat = Self.beat(item), beat != last else { continue }
            Self.show(item, beat)
            last = beat
        }
    }

    private static func beat(_ item: SHMatchedMediaItem) -> Int? {
        let beat = (item.predictedCurrentMatchOffset / secondsPerBeat).rounded(.down)
        return beat.isFinite ? Int(exactly: beat) : nil
    }

    private static func show(_ item: SHMatchedMediaItem, _ beat: Int) {
        print("\(item.title ?? "?"): beat \(beat)")
        fflush(nil)
    }
}

/// Keeps the latest match, whose position goes on by itself.
private final class Light: NSObject, SHSessionDelegate {
    private(set) var item: SHMatchedMediaItem?

    func session(_ session: SHSession, didFind match: SHMatch) { item = match.mediaItems.first }
}
