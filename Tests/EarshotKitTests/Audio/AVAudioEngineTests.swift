import AudioCore
import EarshotKit
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: VirtualMicrophone.isAvailable), .timeLimit(.minutes(1)), .tags(.timed))
struct AVAudioEngineTests {
    private let virtual: VirtualMicrophone
    private let engine: AVAudioEngine
    private let heard = RecordedAudio()

    init() throws {
        virtual = try VirtualMicrophone()
        engine = AVAudioEngine(server: virtual.server, session: AVAudioSession(server: virtual.server))
    }

    /// Installs a tap as the sample app does: on the input node, mono at its own rate.
    private func tapInput(bufferSize: AVAudioFrameCount = 2048) {
        let format = AVAudioFormat(
            standardFormatWithSampleRate: engine.inputNode.outputFormat(forBus: 0).sampleRate, channels: 1)
        engine.inputNode.installTap(onBus: 0, bufferSize: bufferSize, format: format) { [heard] in
            heard.add($0, $1)
        }
    }

    /// Expects contiguous buffers in frames and host time.
    private func expectUnbroken(_ bufferSize: Int, rate: Double) {
        for (index, piece) in heard.pieces.enumerated() {
            #expect(piece.audio.frameCount == bufferSize)
            #expect(piece.time.isSampleTimeValid && piece.time.isHostTimeValid)
            #expect(piece.time.sampleTime == AVAudioFramePosition(index * bufferSize))
            #expect(piece.time.sampleRate == rate)
        }
    }

    @Test func anInputTapReceivesThePlayedAudio() async throws {
        let played = MicrophoneTests.played
        tapInput()
        engine.prepare()
        #expect(!engine.isRunning)
        let before = AVAudioTime.now()
        try engine.start()
        try engine.start()
        #expect(engine.isRunning)
        #expect(try virtual.recordingCount() == 1)
        try virtual.play(played)
        try await heard.waitForFrames(heard.frameCount + 48_000)
        engine.stop()
        #expect(!engine.isRunning)
        #expect(try virtual.recordingCount() == 0)
        let difference = RecordedAudio.largestDifference(of: played.samples, in: heard.samples())
        #expect(try #require(difference) < 1e-6)
        expectUnbroken(2048, rate: 48_000)
        // The server may have recorded a little before the start.
        let first = try #require(heard.pieces.first)
        #expect(
            AVAudioTime.seconds(forHostTime: first.time.hostTime) > AVAudioTime.seconds(forHostTime: before)
                - 1)
        let count = heard.pieces.count
        try await Task.sleep(for: .milliseconds(100))
        #expect(heard.pieces.count == count)
    }

    @Test func aMixerConvertsToTheTapsFormat() async throws {
        let mixer = AVAudioMixerNode()
        let input = engine.inputNode.inputFormat(forBus: 0)
        let output = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44_100, channels: 2, interleaved: true))
        engine.attach(mixer)
        engine.connect(engine.inputNode, to: mixer, format: input)
        engine.connect(mixer, to: engine.outputNode, format: output)
        #expect(mixer.inputFormat(forBus: 0) == input)
        #expect(mixer.outputFormat(forBus: 0) == output)
        #expect(engine.outputNode.inputFormat(forBus: 0) == output)
        #expect(engine.attachedNodes == [mixer, engine.inputNode, engine.outputNode])
        mixer.outputVolume = 0.5
        mixer.installTap(onBus: 0, bufferSize: 8192, format: output) { [heard] in heard.add($0, $1) }
        try engine.start()
        try virtual.play(TestSignals.sine(frequency: 1000, seconds: 1.5, sampleRate: 48_000))
        try await heard.waitForFrames(heard.frameCount + 44_100)
        engine.stop()
        expectUnbroken(8192, rate: 44_100)
        // A 1,000 Hz sine at half amplitude in both channels.
        let samples = heard.samples()
        #expect(samples == heard.samples(channel: 1))
        let onset = try #require(samples.firstIndex { abs($0) > 0.1 })
        let second = samples[(onset + 4410)..<(onset + 4410 + 44_100)]
        #expect(abs(try #require(second.max()) - 0.25) < 0.001)
        let crossings = zip(second, second.dropFirst()).count { $0 < 0 && $1 >= 0 }
        #expect(abs(crossings - 1000) <= 1)
    }

    @Test func tapsConvertAndMayBeReplacedAndRemoved() async throws {
        let narrow = try #require(AVAudioFormat(standardFormatWithSampleRate: 16_000, channels: 1))
        tapInput()
        engine.inputNode.installTap(onBus: 0, bufferSize: 1600, format: narrow) { [heard] in heard.add($0, $1)
        }
        let main = RecordedAudio()
        engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
        engine.mainMixerNode.installTap(onBus: 0, bufferSize: 0, format: nil) { main.add($0, $1) }
        try engine.start()
        try await heard.waitForFrames(16_000)
        engine.inputNode.removeTap(onBus: 0)
        expectUnbroken(1600, rate: 16_000)
        // The other tap continues. The removed one may at most finish a call.
        let count = heard.pieces.count
        try await main.waitForFrames(main.frameCount + 9600)
        #expect(heard.pieces.count <= count + 1)
        #expect(main.pieces.allSatisfy { $0.audio.frameCount == 1 && $0.audio.sampleRate == 48_000 })
        engine.detach(engine.mainMixerNode)
        #expect(engine.mainMixerNode.engine == nil)
        #expect(engine.isRunning)
        engine.stop()
    }

    @Test func eachStartCountsFromTheBeginningAndATapMayStop() async throws {
        for _ in 0..<2 {
            let round = RecordedAudio()
            engine.inputNode.installTap(onBus: 0, bufferSize: 1000, format: nil) { [engine] in
                round.add($0, $1)
                if round.pieces.count == 5 { engine.stop() }
            }
            try engine.start()
            try await round.waitForFrames(5000)
            #expect(try await eventually { try virtual.recordingCount() == 0 }, "the device is not free")
            #expect(!engine.isRunning && engine.failure == nil)
            #expect(round.pieces.map(\.time.sampleTime) == [0, 1000, 2000, 3000, 4000])
        }
    }

    @Test func aDeallocatedEngineReleasesTheDevice() throws {
        do {
            let engine = AVAudioEngine(server: virtual.server)
            _ = engine.inputNode
            try engine.start()
            #expect(try virtual.recordingCount() == 1)
        }
        #expect(try virtual.recordingCount() == 0)
    }

    @Test func aLostServerStopsTheEngineWithAReason() async throws {
        tapInput()
        try engine.start()
        try await heard.waitForFrames(2048)
        let (told, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        virtual.stop()
        for await _ in told { break }
        #expect(!engine.isRunning)
        #expect(engine.failure?.code == .cannotStartRecording)
        let error = #expect(throws: AVFAudioError.self) { try engine.start() }
        #expect(error?.code == .cannotStartRecording)
    }

    @Test func withoutSourceOrInputNothingStarts() throws {
        let unused = #expect(throws: AVFAudioError.self) { try engine.start() }
        #expect(unused?.code == .cannotStartRecording)
        #expect(unused?.message.contains("inputNode") == true)
        tapInput()
        try virtual.removeSources()
        let error = #expect(throws: AVFAudioError.self) { try engine.start() }
        #expect(error?.code == .resourceNotAvailable)
        #expect(!engine.isRunning)
    }

    @Test func theSessionStopsItsEngines() throws {
        let session = AVAudioSession(server: virtual.server)
        let engine = AVAudioEngine(server: virtual.server, session: session)
        _ = engine.inputNode
        #expect(session.isInputAvailable)
        try session.setActive(true)
        try engine.start()
        let error = #expect(throws: AVFAudioError.self) {
            try session.setActive(false, options: .notifyOthersOnDeactivation)
        }
        #expect(error?.code == .isBusy)
        #expect(!engine.isRunning)
        #expect(try virtual.recordingCount() == 0)
        try session.setActive(false)
        try virtual.removeSources()
        #expect(!session.isInputAvailable)
        let none = #expect(throws: AVFAudioError.self) { try session.setActive(true) }
        #expect(none?.code == .resourceNotAvailable)
    }

    /// The environment's own server, as programs find it.
    @Test func theUsersServerIsTheDefault() async throws {
        let engine = AVAudioEngine()
        engine.inputNode.installTap(onBus: 0, bufferSize: 4800, format: nil) { [heard] in heard.add($0, $1) }
        try engine.start()
        try await heard.waitForFrames(4800)
        engine.stop()
        #expect(heard.pieces.first?.time.sampleTime == 0)
    }
}
