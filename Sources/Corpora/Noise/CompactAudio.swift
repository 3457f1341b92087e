import AudioCore

/// One channel of samples kept in 16 bits each, for holding hours of audio in memory.
///
/// The peak is scaled to full range, so rounding stays 98 dB below it.
package struct CompactAudio: Sendable {
    private let samples: [Int16]
    private let step: Float
    package let sampleRate: Int

    package init(_ audio: [Float], sampleRate: Int) {
        var peak: Float = 0
        for sample in audio { peak = max(peak, abs(sample)) }
        let step = peak / 32767
        let scale = step > 0 ? 1 / step : 0
        self.step = step
        self.sampleRate = sampleRate
        samples = audio.map { Int16(bounded: max(-32767, min(32767, ($0 * scale).rounded()))) }
    }

    package var count: Int { samples.count }

    /// The samples of `range`; those outside the recording are zero.
    package func samples(in range: Range<Int>) -> [Float] {
        var out = [Float](repeating: 0, count: range.count)
        let held = range.clamped(to: 0..<samples.count)
        samples.withUnsafeBufferPointer { source in
            out.withUnsafeMutableBufferPointer { target in
                for index in held { target[index - range.lowerBound] = Float(source[index]) * step }
            }
        }
        return out
    }

    package var all: [Float] { samples(in: 0..<samples.count) }
}
