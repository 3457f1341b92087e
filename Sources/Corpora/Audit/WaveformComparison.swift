import AudioCore
import SignalProcessing

/// Compares the waveforms of two recordings, or of two places of one; positions in samples at
/// ``EquivalenceAudit/sampleRate``.
package struct WaveformComparison: Sendable {
    package let first: CompactAudio
    package let second: CompactAudio

    package init(first: CompactAudio, second: CompactAudio) {
        self.first = first
        self.second = second
    }

    /// The best correlation of `length` samples of the first at `start` with the second, `distance` further on
    /// and up to `maxLag` off.
    ///
    /// Only what both recordings hold is compared; a place near an end is compared over less, down to half.
    package func compare(start: Int, distance: Int, length: Int, maxLag: Int) -> (
        coefficient: Double, distance: Int
    ) {
        let range = common(start: start, distance: distance, length: length)
        guard range.count >= length / 2 else { return (0, distance) }
        let shifted = (range.lowerBound + distance)..<(range.upperBound + distance)
        let best = CrossCorrelation.bestLag(
            of: second.samples(in: shifted), in: first.samples(in: range), maxLag: maxLag)
        return (best.coefficient, distance + Int(bounded: best.lag.rounded()))
    }

    /// The frames from `start` of the first that have a counterpart in the second.
    package func common(start: Int, distance: Int, length: Int) -> Range<Int> {
        (start..<(start + length)).clamped(to: 0..<first.count)
            .clamped(to: (-distance)..<(max(-distance, second.count - distance)))
    }

    package func overlap(at distance: Int) -> Range<Int> {
        common(start: 0, distance: distance, length: first.count)
    }

    package func coefficient(start: Int, distance: Int, length: Int) -> Double {
        let range = common(start: start, distance: distance, length: length)
        let one = first.samples(in: range)
        let other = second.samples(in: (range.lowerBound + distance)..<(range.upperBound + distance))
        var product = 0.0
        var energyOfOne = 0.0
        var energyOfOther = 0.0
        for (a, b) in zip(one, other) {
            product += Double(a) * Double(b)
            energyOfOne += Double(a) * Double(a)
            energyOfOther += Double(b) * Double(b)
        }
        let energy = (energyOfOne * energyOfOther).squareRoot()
        return energy > 0 ? product / energy : 0
    }
}
