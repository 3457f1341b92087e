import AudioCore

/// Audio on its way through a chain of degradations, with the truth about where it came from.
public struct Clip: Sendable {
    /// The samples as degraded so far.
    public var audio: AudioBuffer
    /// Query time → reference time, both in seconds; 0 is the first sample of `audio`.
    public var timeMap: TimeMap
    /// Query phase → reference phase; its slope is the ratio of query to reference frequency.
    public var frequencyMap: TimeMap
    /// The frames of `audio` that hold the signal itself, padding excluded.
    public var signalFrames: Range<Int>
    /// What was measured on the way, by name with unit, for example `snrDecibels`.
    public var measurements: [String: Double]

    /// Starts a clip whose first sample lies at `startSeconds` of its reference.
    public init(_ audio: AudioBuffer, startSeconds: Double = 0) {
        self.audio = audio
        timeMap = TimeMap(offsetSeconds: startSeconds)
        frequencyMap = .identity
        signalFrames = 0..<audio.frameCount
        measurements = [:]
    }

    /// Scales everything down to a peak of 1 if it is above, and adds to `scaleDecibels`.
    mutating func scaleToFullScale() {
        let peak = audio.peak
        guard peak > 1 else { return }
        audio.scale(by: 1 / peak)
        measurements["scaleDecibels", default: 0] -= Decibels.fromPowerRatio(Double(peak) * Double(peak))
    }

    /// Puts in samples, perhaps of another rate, that sound `delaySeconds` later than those before.
    mutating func replace(with audio: AudioBuffer, delaySeconds: Double = 0) {
        let ratio = Double(audio.sampleRate) / Double(self.audio.sampleRate)
        let delay = delaySeconds * Double(audio.sampleRate)
        func moved(_ frame: Int) -> Int {
            min(max(Int((Double(frame) * ratio + delay).rounded()), 0), audio.frameCount)
        }
        signalFrames = moved(signalFrames.lowerBound)..<moved(signalFrames.upperBound)
        self.audio = audio
        shiftMaps(laterBySeconds: delaySeconds)
    }

    /// Tells the maps that everything now lies `seconds` later in the query.
    mutating func shiftMaps(laterBySeconds seconds: Double) {
        guard seconds != 0 else { return }
        timeMap = timeMap.startingAt(-seconds)
        frequencyMap = frequencyMap.startingAt(-seconds)
    }

    /// Keeps `count` frames from frame `start`, silent where there are none; all of it counts as signal.
    mutating func cut(from start: Int, count: Int) {
        shiftMaps(laterBySeconds: -Double(start) / Double(audio.sampleRate))
        audio = audio.excerpt(from: start, count: count)
        signalFrames = 0..<count
    }
}
