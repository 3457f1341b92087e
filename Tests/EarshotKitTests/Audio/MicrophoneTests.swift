import AudioCore
import AudioIO
import EarshotKit
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: VirtualMicrophone.isAvailable), .timeLimit(.minutes(1)), .tags(.timed))
struct MicrophoneTests {
    /// Noise after 0.25 s of silence, because the server may drop the first 20 ms.
    static let played = AudioBuffer(
        samples: [Float](repeating: 0, count: 12_000)
            + TestSignals.noise(seed: 8, amplitude: 0.4, seconds: 1, sampleRate: 48_000).samples,
        sampleRate: 48_000)

    private func open(
        _ virtual: VirtualMicrophone, rate: Int = 48_000, channels: Int = 1, device: String? = nil
    ) throws -> Microphone {
        try Microphone(
            sampleRate: rate, channelCount: channels, device: device, applicationName: "tests",
            server: virtual.server)
    }

    /// Runs blocking work off the threads that tests share; starts immediately.
    private func onItsOwnThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) -> Task<R, any Error>
    {
        let (ends, continuation) = AsyncStream.makeStream(of: Result<R, any Error>.self)
        Thread { continuation.yield(Result(catching: body)) }.start()
        return Task {
            for await end in ends { return try end.get() }
            throw CancellationError()
        }
    }

    @Test(arguments: [nil, "microphone", "speaker.monitor"])
    func recordedSamplesEqualPlayedSamples(device: String?) async throws {
        let virtual = try VirtualMicrophone()
        let microphone = try open(virtual, device: device)
        let heard = onItsOwnThread {
            var heard: [Float] = []
            while RecordedAudio.largestDifference(of: Self.played.samples, in: heard) == nil {
                let audio = try microphone.read(frames: 4800)
                #expect(audio.frameCount == 4800 && audio.sampleRate == 48_000 && audio.channelCount == 1)
                heard += audio.samples
            }
            return heard
        }
        try virtual.play(Self.played)
        let difference = try await RecordedAudio.largestDifference(of: Self.played.samples, in: heard.value)
        #expect(try #require(difference) < 1e-6)
        #expect(microphone.latencySeconds() >= 0)
        microphone.close()
    }

    @Test func ratesAndChannelsAreAsRequested() throws {
        let virtual = try VirtualMicrophone()
        let microphone = try open(virtual, rate: 16_000, channels: 2)
        let audio = try microphone.read(frames: 1600)
        #expect(audio.sampleRate == 16_000 && audio.channelCount == 2 && audio.frameCount == 1600)
        microphone.close()
    }

    @Test func closingAndDeallocationReleaseTheDevice() throws {
        let virtual = try VirtualMicrophone()
        #expect(try virtual.recordingCount() == 0)
        do {
            let microphone = try open(virtual)
            #expect(try virtual.recordingCount() == 1)
            _ = try microphone.read(frames: 10)
        }
        #expect(try virtual.recordingCount() == 0)
        let microphone = try open(virtual)
        #expect(try virtual.recordingCount() == 1)
        microphone.close()
        microphone.close()
        #expect(try virtual.recordingCount() == 0)
        let error = #expect(throws: MicrophoneError.self) { try microphone.read(frames: 10) }
        #expect(error?.code == .interrupted)
        #expect(microphone.latencySeconds() == 0)
    }

    @Test func aLostServerInterruptsTheRecording() async throws {
        let virtual = try VirtualMicrophone()
        let microphone = try open(virtual)
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let reading = onItsOwnThread {
            while true {
                _ = try microphone.read(frames: 4800)
                continuation.yield()
            }
        }
        for await _ in started { break }
        virtual.stop()
        let error = await #expect(throws: MicrophoneError.self) { try await reading.value }
        #expect(error?.code == .interrupted)
    }

    /// Reads of 10 frames leave part of a fragment pending when the server stops.
    @Test(arguments: [0, 10])
    func aServerLostBetweenReadsFailsTheNextRead(framesRead: Int) throws {
        let virtual = try VirtualMicrophone()
        do {
            let microphone = try open(virtual)
            if framesRead > 0 { _ = try microphone.read(frames: framesRead) }
            virtual.stop()
            let error = #expect(throws: MicrophoneError.self) {
                // Audio recorded before may arrive first.
                while true { _ = try microphone.read(frames: 4800) }
            }
            #expect(error?.code == .interrupted)
            #expect(error?.message.hasPrefix("the recording broke off: ") == true)
            #expect(microphone.latencySeconds() == 0)
        }
        let restarted = try VirtualMicrophone()
        do {
            let microphone = try open(restarted)
            if framesRead > 0 { _ = try microphone.read(frames: framesRead) }
            restarted.stop()
            microphone.close()
            #expect(throws: MicrophoneError.self) { try microphone.read(frames: 1) }
        }
    }

    @Test func closingInterruptsARead() async throws {
        let virtual = try VirtualMicrophone()
        let microphone = try open(virtual)
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let reading = onItsOwnThread {
            continuation.yield()
            while true { _ = try microphone.read(frames: 4800) }
        }
        for await _ in started { break }
        microphone.close()
        #expect(try virtual.recordingCount() == 0)
        let error = await #expect(throws: MicrophoneError.self) { try await reading.value }
        #expect(error == MicrophoneError(.interrupted, "the microphone was closed"))
    }

    /// The sound is in the first seconds; reading starts after silence longer than the backlog.
    @Test func theBacklogKeepsTheLatestAudio() throws {
        let virtual = try VirtualMicrophone()
        let microphone = try open(virtual)
        let silence = [Float](repeating: 0, count: Int((Microphone.backlogSeconds + 1) * 48_000))
        try virtual.play(AudioBuffer(samples: Self.played.samples + silence, sampleRate: 48_000))
        #expect(microphone.latencySeconds() > 0.99 * Microphone.backlogSeconds)
        let kept = try microphone.read(frames: silence.count / 2)
        #expect(kept.samples.allSatisfy { $0 == 0 })
        microphone.close()
    }

    @Test func aMissingSourceIsReported() throws {
        let virtual = try VirtualMicrophone()
        let unknown = #expect(throws: MicrophoneError.self) { try open(virtual, device: "nothing") }
        #expect(unknown?.code == .noSource)
        #expect(unknown?.message.contains("\"nothing\"") == true)
        try virtual.removeSources()
        let none = #expect(throws: MicrophoneError.self) { try open(virtual) }
        #expect(none?.code == .noSource)
        #expect(none?.message.contains(virtual.server) == true)
    }

    @Test func aRecordingIsUnbrokenAndReleasesTheDevice() async throws {
        let virtual = try VirtualMicrophone()
        let microphone = try open(virtual)
        let heard = RecordedAudio()
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
        let recording = MicrophoneRecording(
            microphone, blockFrames: 480,
            onBlock: { block in
                guard let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 480) else { return }
                buffer.frameLength = AVAudioFrameCount(block.audio.frameCount)
                for (frame, sample) in block.audio.samples.enumerated() {
                    buffer.floatChannelData?[0][frame] = sample
                }
                heard.add(
                    buffer,
                    AVAudioTime(
                        hostTime: block.hostTime, sampleTime: Int64(block.firstFrame), atRate: 48_000))
            },
            onFailure: { Issue.record("\($0)") })
        try virtual.play(Self.played)
        try await heard.waitForFrames(heard.frameCount + 48_000)
        #expect(!recording.hasEnded)
        recording.stop()
        #expect(recording.hasEnded)
        recording.stop()
        #expect(try virtual.recordingCount() == 0)
        let difference = RecordedAudio.largestDifference(of: Self.played.samples, in: heard.samples())
        #expect(try #require(difference) < 1e-6)
        for (index, piece) in heard.pieces.enumerated() {
            #expect(piece.time.sampleTime == Int64(480 * index))
        }
    }
}

struct MissingSoundServerTests {
    @Test func theErrorNamesTheServer() {
        let error = #expect(throws: MicrophoneError.self) {
            try Microphone(
                sampleRate: 48_000, channelCount: 1, applicationName: "tests", server: "unix:/nowhere/socket")
        }
        #expect(error?.code == .noServer)
        #expect(error?.message.contains("unix:/nowhere/socket") == true)
    }

    @Test(arguments: [(999, 1), (384_001, 1), (48_000, 0), (48_000, 33), (.min, .max)])
    func unsupportedFormatsAreRefused(rate: Int, channels: Int) {
        let error = #expect(throws: MicrophoneError.self) {
            try Microphone(sampleRate: rate, channelCount: channels, applicationName: "tests")
        }
        #expect(error?.code == .invalidFormat)
        #expect(error?.message.contains("\(rate)") == true)
    }
}
