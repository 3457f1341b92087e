import AudioCore

/// Audio in a chain of degradations, with the truth about its origin.
package struct Clip: Sendable {
    package var audio: AudioBuffer
    /// Query time → reference time, both in seconds; 0 is the first sample of `audio`.
    package var timeMap: TimeMap
    /// Query phase → reference phase; its slope is query frequency over reference frequency.
    package var frequencyMap: TimeMap
    /// The frames of `audio` that hold the signal, without padding.
    package var signalFrames: Range<Int>
    /// Measured values by name with unit, such as `snrDecibels`.
    package var measurements: [String: Double]

    /// Makes a clip whose first sample is at `startSeconds` of its reference.
    package init(_ audio: AudioBuffer, startSeconds: Double = 0) {
        self.audio = audio
        timeMap = TimeMap(offsetSeconds: startSeconds)
        frequencyMap = .identity
        signalFrames = 0..<audio.frameCount
        measurements = [:]
    }

    /// Scales a peak above 1 down to 1, and subtracts the change from `scaleDecibels`.
    mutating func scaleToFullScale() {
        let peak = audio.peak
        guard peak > 1 else { return }
        audio.scale(by: 1 / peak)
        measurements["scaleDecibels", default: 0] -= Decibels.fromPowerRatio(Double(peak) * Double(peak))
    }

    /// Replaces the samples by others, at any rate, that are `delaySeconds` later.
    mutating func replace(with audio: AudioBuffer, delaySeconds: Double = 0) {
        let ratio = Double(audio.sampleRate) / Double(self.audio.sampleRate)
        let delay = delaySeconds * Double(audio.sampleRate)
        func moved(_ frame: Int) -> Int {
            min(max(Int(bounded: (Double(frame) * ratio + delay).rounded()), 0), audio.frameCount)
        }
        signalFrames = moved(signalFrames.lowerBound)..<moved(signalFrames.upperBound)
        self.audio = audio
        shiftMaps(laterBySeconds: delaySeconds)
    }

    /// Moves the maps for sound that is now `seconds` later in the query.
    mutating func shiftMaps(laterBySeconds seconds: Double) {
        guard seconds != 0 else { return }
        timeMap = timeMap.startingAt(-seconds)
        frequencyMap = frequencyMap.startingAt(-seconds)
    }

    /// Keeps `count` frames from frame `start`, padded with silence; all of them count as signal.
    mutating func cut(from start: Int, count: Int) {
        shiftMaps(laterBySeconds: -Double(start) / Double(audio.sampleRate))
        audio = audio.excerpt(from: start, count: count)
        signalFrames = 0..<count
    }
}
