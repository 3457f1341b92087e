import Glibc

/// Finds a component that two signals share, under other sound in either.
///
/// It divides the cross-spectrum by its magnitude to the power 0.8, so that all frequencies have nearly equal weight.
/// A shared component gives one sharp peak at its lag, even under a filter, a change of level or noise. Music with the
/// same notes gives no peak.
///
/// C. H. Knapp and G. C. Carter, "The generalized correlation method for estimation of time delay", IEEE Trans.
/// ASSP 24(4), 1976.
///
/// An instance owns a transform. Use it on one thread at a time.
package final class SharpCorrelator {
    package struct Alignment: Sendable {
        /// The lag in samples: `b[n + lag] ≈ a[n]`.
        package let lag: Int
        /// The height of the peak in standard deviations of the rest of the curve; unrelated signals give 3 to 5.
        package let prominence: Double
    }

    package let length: Int
    package let maxLag: Int

    private static let whitening: Float = 0.8
    private let fft: RealFFT
    private let taper: [Float]
    private var curve: [Float]

    /// Prepares to align signals of `length` samples at lags up to `maxLag`; both must be above 0.
    package init(length: Int, maxLag: Int) {
        precondition(length > 0 && maxLag > 0, "cannot align \(length) samples within \(maxLag)")
        self.length = length
        self.maxLag = maxLag
        fft = RealFFT(size: RealFFT.fastSize(atLeast: length + maxLag))
        taper = (0..<length).map {
            Float(0.5 - 0.5 * cos(2 * Double.pi * (Double($0) + 0.5) / Double(length)))
        }
        curve = [Float](repeating: 0, count: fft.size)
    }

    /// Aligns `b` with `a`, both of ``length`` samples.
    ///
    /// `nearest` limits the lag of the answer, in samples, in both directions. Lags within `exclusion` samples of the
    /// peak belong to the peak.
    package func align(_ b: [Float], with a: [Float], nearest: Int? = nil, exclusion: Int) -> Alignment {
        precondition(a.count == length && b.count == length, "\(a.count) and \(b.count) samples of \(length)")
        var product = Spectrum(of: tapered(b)[...], by: fft)
        product.multiply(byConjugateOf: Spectrum(of: tapered(a)[...], by: fft))
        product.whiten(power: Self.whitening)
        product.inverse(into: &curve, by: fft)
        let reach = min(nearest ?? maxLag, maxLag)
        var best = 0
        for lag in -reach...reach where value(at: lag) > value(at: best) { best = lag }
        var sum = 0.0
        var count = 0
        for lag in -maxLag...maxLag where abs(lag - best) > exclusion {
            sum += Double(value(at: lag)) * Double(value(at: lag))
            count += 1
        }
        let deviation = (sum / Double(max(1, count))).squareRoot()
        guard deviation > 0 else { return Alignment(lag: 0, prominence: 0) }
        return Alignment(lag: best, prominence: Double(value(at: best)) / deviation)
    }

    private func value(at lag: Int) -> Float { curve[lag < 0 ? lag + fft.size : lag] }

    private func tapered(_ samples: [Float]) -> [Float] {
        var out = samples
        for index in out.indices { out[index] *= taper[index] }
        return out
    }
}
