import AudioCore
import TimeStretch

extension Clip {
    /// The rates at which audio is stretched, in hertz; a lower one would be raised a hundredfold for the stretch.
    private static let stretchRates = 1000...384_000

    /// Changes tempo to `speed` times and pitch to `frequencyRatio` times, each for itself.
    mutating func stretch(speed: Double, frequencyRatio: Double) throws {
        guard speed != 1 || frequencyRatio != 1 else { return }
        guard Self.stretchRates.contains(audio.sampleRate) else {
            throw DegradationError(
                .unsuitableAudio,
                "audio at \(audio.sampleRate) Hz cannot be stretched; expected \(Self.stretchRates) Hz")
        }
        let stretched: AudioBuffer
        do {
            stretched = try TimeStretch.stretch(audio, timeRatio: 1 / speed, pitchRatio: frequencyRatio)
        } catch let error as TimeStretchError {
            throw DegradationError(.unsuitableAudio, error.description)
        }
        guard !stretched.isEmpty else {
            throw DegradationError(.unsuitableAudio, "nothing is left of \(audio.frameCount) frames")
        }
        warp(into: stretched, speed: speed, frequencyRatio: frequencyRatio)
    }
}
