import AudioCore
import AudioIO
import EarshotKit
import KitTestSupport
import Synchronization
import TestSupport
import Testing

/// What players play is heard by the virtual microphone.
@Suite(
    .enabled(if: VirtualMicrophone.isAvailable || VirtualMicrophone.isRequired), .timeLimit(.minutes(2)),
    .tags(.timed))
struct PlaybackMicrophoneTests {
    private final class Receiver: NSObject, AVAudioPlayerDelegate, Sendable {
        let ends: AsyncStream<Bool>
        private let continuation: AsyncStream<Bool>.Continuation

        override init() { (ends, continuation) = AsyncStream.makeStream() }

        func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
            continuation.yield(flag && !player.isPlaying && player.currentTime == 0)
        }
    }

    private let virtual: VirtualMicrophone
    private let folder: TemporaryFolder

    init() throws {
        virtual = try VirtualMicrophone()
        folder = try TemporaryFolder()
    }

    private func file(_ audio: AudioBuffer) throws -> URL {
        let path = folder.file("\(UUID().uuidString).wav")
        try AudioFile.write(audio, to: path, as: #require(AudioEncoding("wav-float")))
        return URL(fileURLWithPath: path)
    }

    private func player(_ audio: AudioBuffer) throws -> AVAudioPlayer {
        try AVAudioPlayer(contentsOf: file(audio), server: virtual.server)
    }

    /// Records until a signal has been heard whole.
    private func hear(_ audio: AudioBuffer, while play: () throws -> Void) async throws -> Float? {
        let engine = AVAudioEngine(server: virtual.server)
        let heard = RecordedAudio()
        engine.inputNode.installTap(onBus: 0, bufferSize: 4800, format: nil) { heard.add($0, $1) }
        try engine.start()
        try play()
        var difference: Float?
        while difference == nil {
            try await heard.waitForFrames(heard.frameCount + 9600)
            difference = RecordedAudio.largestDifference(of: audio.samples, in: heard.samples())
        }
        engine.stop()
        return difference
    }

    @Test func aPlayerPlaysItsFileOnceAndReleasesTheDevice() async throws {
        let player = try player(MicrophoneTests.played)
        let receiver = Receiver()
        player.delegate = receiver
        #expect(player.duration == 1.25 && player.numberOfChannels == 1 && player.currentTime == 0)
        let difference = try await hear(MicrophoneTests.played) { () throws in
            #expect(player.play() && player.isPlaying && player.play())
            #expect(try virtual.playbackCount() == 1)
        }
        #expect(try #require(difference) < 1e-6)
        #expect(await receiver.ends.first { _ in true } == true)
        #expect(try virtual.playbackCount() == 0)
    }

    @Test func aPlayerPausesGoesOnAndRepeats() async throws {
        // Long enough for a slow machine to pause it before its end.
        let player = try player(TestSignals.noise(seed: 2, seconds: 12, sampleRate: 44_100, channelCount: 2))
        let receiver = Receiver()
        player.delegate = receiver
        player.currentTime = 1.5
        #expect(player.play())
        var heard = player.currentTime
        while heard < 1.6 {
            try await Task.sleep(for: .milliseconds(5))
            let now = player.currentTime
            #expect(now >= heard)
            heard = now
        }
        player.pause()
        #expect(try virtual.playbackCount() == 0)
        let time = player.currentTime
        #expect((heard..<12).contains(time) && !player.isPlaying)
        try await Task.sleep(for: .milliseconds(100))
        #expect(player.currentTime == time)
        player.numberOfLoops = 1
        player.currentTime = 11.9
        #expect(player.play())
        // Begins again.
        #expect(try await eventually { player.currentTime < 11.9 })
        #expect(player.isPlaying)
        player.currentTime = 20
        #expect(player.isPlaying)
        #expect(await receiver.ends.first { _ in true } == true)
    }

    @Test func aReleasedPlayerReleasesTheDevice() throws {
        do {
            let player = try player(MicrophoneTests.played)
            #expect(player.play())
            #expect(try virtual.playbackCount() == 1)
        }
        #expect(try virtual.playbackCount() == 0)
    }

    @Test func audioInMemoryIsPlayedToo() throws {
        let player = try AVAudioPlayer(data: Data(contentsOf: file(MicrophoneTests.played)))
        #expect(player.duration == 1.25 && player.url == nil)
        #expect(throws: AVFAudioError.self) { try AVAudioPlayer(data: Data("text".utf8)) }
    }

    @Test func withoutASinkNothingPlays() throws {
        let player = try player(MicrophoneTests.played)
        try virtual.removeSources()
        #expect(!player.play() && !player.isPlaying)
        let engine = AVAudioEngine(server: virtual.server)
        engine.attach(AVAudioPlayerNode())
        let error = #expect(throws: AVFAudioError.self) { try engine.start() }
        #expect(error?.code == .cannotStartPlaying)
    }

    /// The song of one engine is named by a session that listens.
    @Test func aPlayedSongIsMatched() async throws {
        let session = SHManagedSession(
            catalog: try SongBook.catalog(), device: nil, server: virtual.server)
        let player = try player(SongBook.songs[2].render(from: 3, seconds: 20))
        player.numberOfLoops = -1
        #expect(player.play())
        guard case .match(let match) = await session.result() else {
            Issue.record("no match")
            return
        }
        #expect(match.mediaItems.map(\.title) == [SongBook.title(2)])
    }

    /// One engine that plays and records.
    @Test func anEngineHearsItsOwnPlayer() async throws {
        let engine = AVAudioEngine(server: virtual.server)
        let player = AVAudioPlayerNode()
        let heard = RecordedAudio()
        engine.inputNode.installTap(onBus: 0, bufferSize: 4800, format: nil) { heard.add($0, $1) }
        try engine.start()
        #expect(try virtual.playbackCount() == 0)
        engine.attach(player)
        #expect(try virtual.playbackCount() == 1)
        engine.connect(player, to: engine.mainMixerNode, format: nil)
        let sine = TestSignals.sine(frequency: 1000, seconds: 1, sampleRate: 48_000)
        let end = Task {
            await player.scheduleBuffer(sine.pcmBuffer(), completionCallbackType: .dataPlayedBack)
        }
        player.play()
        #expect(await end.value == .dataPlayedBack)
        try await heard.waitForFrames(heard.frameCount + 24_000)
        engine.stop()
        #expect(try virtual.playbackCount() == 0 && virtual.recordingCount() == 0)
        let loud = heard.samples().count { abs($0) > 0.25 }
        // A sine is above half its amplitude for two thirds of the time.
        #expect((30_000...34_000).contains(loud), "\(loud) loud samples")
    }

    @Test func aLostServerStopsThePlayback() async throws {
        let engine = AVAudioEngine(server: virtual.server)
        engine.attach(AVAudioPlayerNode())
        try engine.start()
        let (told, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        virtual.stop()
        for await _ in told { break }
        #expect(!engine.isRunning && engine.failure?.code == .cannotStartPlaying)
    }
}
