import AudioCore

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

    /// The same for a constant `speed`.
    mutating func warp(into audio: AudioBuffer, speed: Double, frequencyRatio: Double) {
        let first = Int((Double(signalFrames.lowerBound) / speed).rounded())
        let last = Int((Double(signalFrames.upperBound) / speed).rounded())
        warp(
            into: audio, newTime: TimeMap(slope: speed), signal: first..<last,
            pitchToTime: frequencyRatio / speed)
    }
}
