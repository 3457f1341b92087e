import Glibc

/// Biquads in series, as one filter for one channel.
package struct BiquadCascade: Sendable {
    private var sections: [Biquad]

    /// Chains `sections` in order; without any, the filter changes nothing.
    package init(_ sections: [Biquad]) { self.sections = sections }

    /// A Butterworth low-pass, 3.01 dB down at `frequency` and 6.02·`order` dB per octave above.
    ///
    /// Section k of n has the quality 1 / (2·cos((2k + 1)π / 4n)). `order` must be even and at least 2; frequencies are
    /// in hertz. S. Butterworth, "On the theory of filter amplifiers", Experimental Wireless 7, 1930.
    package static func butterworthLowPass(order: Int, frequency: Double, sampleRate: Double) -> Self {
        Self(
            qualities(order: order).map { .lowPass(frequency: frequency, sampleRate: sampleRate, q: $0) })
    }

    /// A Butterworth high-pass, 3.01 dB down at `frequency` and 6.02·`order` dB per octave below.
    ///
    /// `order` must be even and at least 2; frequencies are in hertz.
    package static func butterworthHighPass(order: Int, frequency: Double, sampleRate: Double) -> Self {
        Self(
            qualities(order: order).map { .highPass(frequency: frequency, sampleRate: sampleRate, q: $0) })
    }

    /// Filters `samples` in place, as the continuation of the previous call.
    package mutating func process(_ samples: UnsafeMutableBufferPointer<Float>) {
        for index in sections.indices { sections[index].process(samples) }
    }

    package mutating func process(_ samples: inout [Float]) {
        samples.withUnsafeMutableBufferPointer { process($0) }
    }

    package mutating func reset() {
        for index in sections.indices { sections[index].reset() }
    }

    private static func qualities(order: Int) -> [Double] {
        precondition(
            order >= 2 && order.isMultiple(of: 2), "Butterworth order \(order) is not even and at least 2")
        return (0..<order / 2).map { 0.5 / cos(Double(2 * $0 + 1) * .pi / Double(2 * order)) }
    }
}
