import AudioCore
import TimeStretch

extension Clip {
    /// Replaces the samples by a version with another time, and changes the maps.
    ///
    /// `newTime` maps new to old clip time in seconds, and `signal` is the range of new frames with the signal.
    /// `pitchToTime` is new over old frequency divided by the slope of `newTime`, 1 for a change of speed.
    mutating func warp(
        into audio: AudioBuffer, newTime: TimeMap, signal: Range<Int>, pitchToTime: Double = 1
    ) {
        timeMap = timeMap.after(newTime)
        frequencyMap = frequencyMap.after(newTime).scaled(by: pitchToTime)
        signalFrames = signal.clamped(to: 0..<audio.frameCount)
        self.audio = audio
    }

    /// The same for a constant `speed` and sound that is `delaySeconds` later in the new time than it says.
    mutating func warp(
        into audio: AudioBuffer, speed: Double, frequencyRatio: Double, delaySeconds: Double = 0
    ) {
        let delay = delaySeconds * Double(audio.sampleRate)
        let first = Int(bounded: (Double(signalFrames.lowerBound) / speed + delay).rounded())
        let last = Int(bounded: (Double(signalFrames.upperBound) / speed + delay).rounded())
        warp(
            into: audio, newTime: TimeMap(offsetSeconds: -delaySeconds * speed, slope: speed),
            signal: first..<last, pitchToTime: frequencyRatio / speed)
    }

    /// The rates at which audio is stretched, in hertz; a lower one would be raised a hundredfold for the stretch.
    private static let stretchRates = 1000...384_000

    /// Changes tempo to `speed` times and pitch to `frequencyRatio` times, each for itself.
    mutating func stretch(speed: Double, frequencyRatio: Double) throws {
        guard speed != 1 || frequencyRatio != 1 else { return }
        guard Self.stretchRates.contains(audio.sampleRate) else {
            throw DegradationError.unsuitable(
                "audio at \(audio.sampleRate) Hz cannot be stretched; expected \(Self.stretchRates) Hz")
        }
        let stretched: AudioBuffer
        let delay: Double
        do {
            stretched = try TimeStretch.stretch(audio, timeRatio: 1 / speed, pitchRatio: frequencyRatio)
            delay = try TimeStretch.delaySeconds(
                sampleRate: audio.sampleRate, timeRatio: 1 / speed, pitchRatio: frequencyRatio)
        } catch let error as TimeStretchError {
            throw DegradationError.unsuitable(error.description)
        }
        guard !stretched.isEmpty else {
            throw DegradationError.unsuitable("nothing is left of \(audio.frameCount) frames")
        }
        warp(into: stretched, speed: speed, frequencyRatio: frequencyRatio, delaySeconds: delay)
    }
}
