import AudioCore
import SignalProcessing

/// Compares two places of a recording.
///
/// Music repeats itself. A matcher that names the other place of a repeat still names what the query contains.
package struct RepeatSearch: Codable, Hashable, Sendable {
    /// The correlation of the two places, −1…1.
    package let correlation: Double
    /// The distance of the answered place from the exact repeat, in seconds; positive if late.
    package let offsetErrorSeconds: Double

    package init(correlation: Double, offsetErrorSeconds: Double) {
        self.correlation = correlation
        self.offsetErrorSeconds = offsetErrorSeconds
    }

    /// Compares `lengthSeconds` of `recording` at both places, below 4 kHz, over lags of ±0.5 s.
    ///
    /// - Returns: Nil if either place is outside the recording.
    package init?(recording: AudioBuffer, trueSeconds: Double, answeredSeconds: Double, lengthSeconds: Double)
        throws
    {
        let reach = 0.5
        let analysisRate = 8000
        guard let resampler = PolyphaseResampler.of(analysisRate, over: recording.sampleRate) else {
            throw MeasurementError("audio at \(recording.sampleRate) Hz cannot be compared at 8 kHz")
        }
        func cut(at seconds: Double) -> [Float]? {
            let rate = Double(recording.sampleRate)
            let start = Int(bounded: (seconds * rate).rounded())
            let end = start + Int(bounded: (lengthSeconds * rate).rounded())
            guard start >= 0, end <= recording.frameCount, end > start else { return nil }
            return recording.frames(start..<end).mono().withUnsafeBufferPointer(resampler.resample)
        }
        guard let truth = cut(at: trueSeconds), let answer = cut(at: answeredSeconds) else {
            return nil
        }
        let best = CrossCorrelation.bestLag(
            of: answer, in: truth, maxLag: Int(bounded: reach * Double(analysisRate)))
        correlation = best.coefficient
        // The answered cut lags the truth when it starts too early.
        offsetErrorSeconds = -best.lag / Double(analysisRate)
    }
}
