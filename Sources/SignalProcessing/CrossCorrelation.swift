import AudioCore
import Glibc

/// The lag between two signals.
package enum CrossCorrelation {
    /// The lag with the largest coefficient: `b[n + lag] ≈ a[n]`, so `b` is later if the lag is positive.
    ///
    /// The coefficient at a whole lag is Σ a[n]·b[n+lag] / √(Σ a[n]²·Σ b[n+lag]²) over the samples where both exist.
    /// Band-limited interpolation to 1/16 sample and a parabola refine the peak. The lag of a copy without noise is
    /// within 0.01 sample. Lags with an overlap below a quarter of the shorter signal are left out.
    ///
    /// `maxLag` is the largest lag in samples, in both directions, at least 0. The result is the lag in samples and the
    /// coefficient there, −1…1. It is (0, 0) if either signal is empty or silent.
    package static func bestLag(of b: [Float], in a: [Float], maxLag: Int) -> (
        lag: Double, coefficient: Double
    ) {
        precondition(maxLag >= 0, "largest lag \(maxLag) is below 0")
        guard !a.isEmpty, !b.isEmpty else { return (0, 0) }
        let curve = CorrelationCurve(of: b, in: a, maxLag: maxLag)
        guard let best = curve.peak() else { return (0, 0) }
        return curve.refine(around: best)
    }
}

/// The coefficients at all whole lags of interest, and some beyond for interpolation.
private struct CorrelationCurve {
    private static let reach = 32

    private let lowestLag: Int
    private let coefficients: [Double]
    private let candidates: Range<Int>

    init(of b: [Float], in a: [Float], maxLag: Int) {
        let least = max(1, min(a.count, b.count) / 4)
        let lowest = max(-maxLag, -(a.count - least))
        let highest = min(maxLag, b.count - least)
        let margin = Self.reach + 1
        let lowestLag = lowest - margin
        let count = max(0, highest - lowest + 1) + 2 * margin

        let size = RealFFT.fastSize(atLeast: max(a.count, b.count) + maxLag + margin)
        let fft = RealFFT(size: size)
        var product = Spectrum(of: b[...], by: fft)
        product.multiply(byConjugateOf: Spectrum(of: a[...], by: fft))
        var sums = [Float](repeating: 0, count: size)
        product.inverse(into: &sums, by: fft)

        let energyOfA = Self.runningEnergy(a)
        let energyOfB = Self.runningEnergy(b)
        // Below this the sums are rounding noise of the transform, not signal.
        let floor = 1e-12 * max(energyOfA[a.count], 1e-30) * max(energyOfB[b.count], 1e-30)
        coefficients = (0..<count).map { index in
            let lag = lowestLag + index
            let start = max(0, -lag)
            let end = min(a.count, b.count - lag)
            guard start < end else { return 0 }
            let energy = (energyOfA[end] - energyOfA[start]) * (energyOfB[end + lag] - energyOfB[start + lag])
            guard energy > floor else { return 0 }
            return Double(sums[lag < 0 ? lag + size : lag]) / energy.squareRoot()
        }
        self.lowestLag = lowestLag
        candidates = highest < lowest ? 0..<0 : margin..<(count - margin)
    }

    /// The index of the largest coefficient among the candidates; nil when all are 0.
    func peak() -> Int? {
        var best: Int?
        for index in candidates where coefficients[index] > (best.map { coefficients[$0] } ?? -.infinity) {
            best = index
        }
        guard let best, coefficients[best] != 0 else { return nil }
        return best
    }

    /// The lag and height of the peak near the whole lag at `index`.
    func refine(around index: Int) -> (lag: Double, coefficient: Double) {
        let stepsPerSample = 16
        var fine = (-stepsPerSample - 1...stepsPerSample + 1).map {
            interpolate(at: Double(index) + Double($0) / Double(stepsPerSample))
        }
        fine[stepsPerSample + 1] = coefficients[index]
        var top = stepsPerSample + 1
        for step in 1..<fine.count - 1 where fine[step] > fine[top] { top = step }
        // Without a maximum within a sample, the best whole lag is at an end of the range.
        guard top > 1, top < fine.count - 2 else { return (Double(lowestLag + index), coefficients[index]) }
        let (before, at, after) = (fine[top - 1], fine[top], fine[top + 1])
        let curvature = before - 2 * at + after
        let shift = curvature < 0 ? min(0.5, max(-0.5, 0.5 * (before - after) / curvature)) : 0
        let lag =
            Double(lowestLag + index) + (Double(top - stepsPerSample - 1) + shift) / Double(stepsPerSample)
        let height = at - 0.25 * (before - after) * shift
        return (lag, min(1, max(-1, height)))
    }

    /// The curve between whole lags, by a Hann-windowed sinc.
    private func interpolate(at position: Double) -> Double {
        let first = max(0, Int(bounded: position.rounded(.up)) - Self.reach)
        let last = min(coefficients.count - 1, Int(bounded: position.rounded(.down)) + Self.reach)
        var sum = 0.0
        for index in first...last {
            let distance = position - Double(index)
            if abs(distance) < 1e-9 { return coefficients[index] }
            let x = Double.pi * distance
            sum += coefficients[index] * sin(x) / x * (0.5 + 0.5 * cos(x / Double(Self.reach)))
        }
        return sum
    }

    /// The energy of the first n samples, for n from 0 to the count.
    private static func runningEnergy(_ samples: [Float]) -> [Double] {
        var energy = [0.0]
        energy.reserveCapacity(samples.count + 1)
        var sum = 0.0
        for sample in samples {
            sum += Double(sample) * Double(sample)
            energy.append(sum)
        }
        return energy
    }
}
