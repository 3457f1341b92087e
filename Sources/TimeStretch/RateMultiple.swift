import AudioCore
import Glibc
import SignalProcessing

/// Changes of sample rate by a whole factor, up or down, without delay.
///
/// The filter is a sinc under a Kaiser window. It passes frequencies below 0.45 times the lower rate and is
/// 100 dB down at half that rate.
struct RateMultiple {
    private let factor: Int
    private let filter: [Float]

    /// Prepares the filter for a factor of 1 or more.
    init(factor: Int) {
        self.factor = factor
        let reach = 64 * factor
        let cutoff = 0.95 / Double(factor)
        let window = KaiserWindow(beta: 10.06)
        filter = (-reach...reach).map { tap in
            let x = Double.pi * cutoff * Double(tap)
            let sinc = tap == 0 ? 1 : sin(x) / x
            return Float(cutoff * sinc * window(Double(tap) / Double(reach)))
        }
    }

    /// Makes `samples.count * factor` samples; input sample n becomes output sample `factor · n`.
    func raise(_ samples: [Float]) -> [Float] {
        if factor == 1 { return samples }
        var spread = [Float](repeating: 0, count: samples.count * factor)
        for index in samples.indices { spread[index * factor] = samples[index] * Float(factor) }
        let filtered = Convolution.convolve(spread, filter)
        return Array(filtered.dropFirst(filter.count / 2).prefix(spread.count))
    }

    /// Makes `count` samples; sample n is the low-passed input at `factor · n`.
    func lower(_ samples: [Float], count: Int) -> [Float] {
        if factor == 1 { return samples }
        let filtered = Convolution.convolve(samples, filter)
        return (0..<count).map { index in
            let place = index * factor + filter.count / 2
            return place < filtered.count ? filtered[place] : 0
        }
    }
}
