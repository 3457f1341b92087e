import AudioCore
import Degradations
import TestSupport
import Testing

/// The truth follows a program's degradation, and what it cannot follow is refused.
@Suite struct ProgramDegradationTests {
    private struct Program: DegradationProgram {
        let change: @Sendable (AudioBuffer) -> DegradedAudio

        func degrade(
            _ audio: AudioBuffer, by name: String, version: String?, severity: Double?, seed: Int
        ) throws -> DegradedAudio { change(audio) }
    }

    private struct ProgramMaterial: Material {
        let program: (any DegradationProgram)?

        func excerpt(
            of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
        ) throws -> [Float] { [] }
    }

    private let music = Tune().recording(seconds: 3, sampleRate: 8000, channelCount: 2)

    private func degraded(
        _ audio: AudioBuffer? = nil, _ change: @escaping @Sendable (AudioBuffer) -> DegradedAudio
    ) throws -> Clip {
        var clip = Clip(audio ?? music, startSeconds: 10)
        try ProgramDegradation(name: "mine", version: "1", seed: 1)
            .apply(to: &clip, material: ProgramMaterial(program: Program(change: change)))
        return clip
    }

    private static func delayed(_ audio: AudioBuffer, _ frames: Int) -> AudioBuffer {
        let cut = (0..<audio.channelCount).map { channel in
            let plane = audio.channel(channel)
            return plane.indices.map { plane.indices.contains($0 - frames) ? plane[$0 - frames] : 0 }
        }
        return AudioBuffer(
            samples: cut.flatMap(\.self), sampleRate: audio.sampleRate, channelCount: audio.channelCount)
    }

    private static func scaled(_ audio: AudioBuffer, _ factor: Float) -> AudioBuffer {
        AudioBuffer(
            samples: audio.samples.map { factor * $0 }, sampleRate: audio.sampleRate,
            channelCount: audio.channelCount)
    }

    @Test func aStatedDelayMovesTheTruth() throws {
        let clip = try degraded { DegradedAudio($0, delaySeconds: 0.25) }
        #expect(clip.timeMap(0) == 9.75)
        #expect(clip.signalFrames == 2000..<24_000)
        #expect(clip.measurements["programDelaySeconds"] == 0.25)
    }

    @Test(arguments: [0, 1, 40, 3000, -160], [1, -0.5] as [Float])
    func aDelayIsMeasured(frames: Int, factor: Float) throws {
        let clip = try degraded { DegradedAudio(Self.scaled(Self.delayed($0, frames), factor)) }
        #expect(abs(clip.timeMap(0) - (10 - Double(frames) / 8000)) < 1e-9)
    }

    @Test func noiseAndFiltersAreNoDelay() throws {
        for chain: [any Degradation] in [
            [Noise(colour: .white, snrDecibels: 0, seed: 1)],
            [Band(lowHertz: 600, highHertz: 1500, order: 4)],
        ] {
            var clip = Clip(music)
            for step in chain { try step.apply(to: &clip, material: NoMaterial()) }
            let result = clip.audio
            let delay = try degraded { _ in DegradedAudio(result) }.measurements["programDelaySeconds"]
            #expect(abs(try #require(delay)) < 0.001, "\(chain)")
        }
    }

    @Test func silenceHasNoDelay() throws {
        let silence = AudioBuffer(silentFrames: 8000, sampleRate: 8000, channelCount: 1)
        #expect(try degraded(silence) { DegradedAudio($0) }.timeMap(0) == 10)
    }

    @Test func whatTheTruthCannotFollowIsRefused() throws {
        let other = TestSignals.noise(seed: 5, seconds: 3, sampleRate: 8000)
        let cases: [(String, @Sendable (AudioBuffer) -> DegradedAudio)] = [
            (
                "a length of 23999 frames; expected 24000",
                { DegradedAudio($0.frames(0..<($0.frameCount - 1))) }
            ),
            (
                "a number of channels of 1; expected 2",
                { DegradedAudio(AudioBuffer(samples: $0.mono(), sampleRate: $0.sampleRate)) }
            ),
            (
                "a sample rate of 16000 Hz; expected 8000 Hz",
                { DegradedAudio(AudioBuffer(samples: $0.samples, sampleRate: 16_000, channelCount: 2)) }
            ),
            ("not finite, in frame 0", { DegradedAudio(Self.scaled($0, .nan)) }),
            ("a delay of nan s", { DegradedAudio($0, delaySeconds: .nan) }),
            ("a delay of 11.0 s", { DegradedAudio($0, delaySeconds: 11) }),
            (
                "its delay cannot be measured",
                { _ in
                    DegradedAudio(
                        AudioBuffer(samples: other.samples + other.samples, sampleRate: 8000, channelCount: 2)
                    )
                }
            ),
            ("its delay cannot be measured", { DegradedAudio(Self.scaled($0, 0)) }),
        ]
        for (message, change) in cases {
            let error = #expect(throws: DegradationProgramError.self) { try degraded(nil, change) }
            #expect("\(error.map { "\($0)" } ?? "")".hasPrefix("degradation mine: "))
            #expect("\(error.map { "\($0)" } ?? "")".contains(message), "\(error.map { "\($0)" } ?? "")")
        }
    }

    @Test func withoutAProgramItSaysSo() throws {
        var clip = Clip(music)
        #expect(throws: DegradationProgramError.self) {
            try ProgramDegradation(name: "mine", version: nil, seed: 1).apply(
                to: &clip, material: NoMaterial())
        }
    }
}
