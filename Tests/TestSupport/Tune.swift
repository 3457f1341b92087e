import AudioCore
import Foundation

/// Synthetic music that is defined at any time, between samples too.
public struct Tune: Sendable {
    private struct Voice: Sendable {
        let frequency: Double
        let phase: Double
        let amplitude: Double
        let pace: Double
    }

    private let voices: [Voice]

    /// `voiceCount` voices of varying level between 200 and `highest` hertz.
    public init(seed: UInt64 = 1, voiceCount: Int = 16, highest: Double = 3000) {
        var generator = SeededGenerator(seed: seed, "tune")
        voices = (0..<voiceCount).map { _ in
            Voice(
                frequency: generator.uniform(in: 200...highest), phase: generator.uniform(in: 0...6.28),
                amplitude: 0.8 / Double(voiceCount), pace: generator.uniform(in: 0.5...5))
        }
    }

    /// The sample at a time, within −0.8…0.8.
    public func callAsFunction(_ seconds: Double) -> Double {
        var sum = 0.0
        for voice in voices {
            let swell = 0.5 + 0.5 * sin(2 * .pi * voice.pace * seconds + 2 * voice.phase)
            sum += voice.amplitude * swell * sin(2 * .pi * voice.frequency * seconds + voice.phase)
        }
        return sum
    }

    /// The first `seconds`; the second channel is a third quieter and from another time.
    public func recording(seconds: Double, sampleRate: Int, channelCount: Int = 1) -> AudioBuffer {
        let frames = Int((seconds * Double(sampleRate)).rounded())
        var samples: [Float] = []
        for channel in 0..<channelCount {
            let gain = channel == 0 ? 1 : 0.66
            let shift = 77 * Double(channel)
            for frame in 0..<frames {
                samples.append(Float(gain * self(Double(frame) / Double(sampleRate) + shift)))
            }
        }
        return AudioBuffer(samples: samples, sampleRate: sampleRate, channelCount: channelCount)
    }

    /// Samples at the times that a map gives for those of the frames.
    public func rendered(frameCount: Int, sampleRate: Int, at time: (Double) -> Double) -> [Float] {
        (0..<frameCount).map { Float(self(time(Double($0) / Double(sampleRate)))) }
    }
}
