import AudioCore

extension Clip {
    /// Puts in samples whose time runs differently and carries the truth over.
    ///
    /// - Parameters:
    ///   - newTime: new clip time → old clip time, in seconds.
    ///   - signal: the frames of `audio` that hold the signal.
    ///   - pitchToTime: new frequency over old frequency, divided by the slope of `newTime`; 1 where
    ///     frequency and time change together.
    mutating func warp(
        into audio: AudioBuffer, newTime: TimeMap, signal: Range<Int>, pitchToTime: Double = 1
    ) {
        timeMap = timeMap.after(newTime)
        frequencyMap = frequencyMap.after(newTime).scaled(by: pitchToTime)
        signalFrames = signal.clamped(to: 0..<audio.frameCount)
        self.audio = audio
    }

    /// The same with time running `speed` times as fast throughout.
    mutating func warp(into audio: AudioBuffer, speed: Double, frequencyRatio: Double) {
        let first = Int((Double(signalFrames.lowerBound) / speed).rounded())
        let last = Int((Double(signalFrames.upperBound) / speed).rounded())
        warp(
            into: audio, newTime: TimeMap(slope: speed), signal: first..<last,
            pitchToTime: frequencyRatio / speed)
    }
}
