import AudioCore

/// Finds sweeps in a recording by a matched filter.
///
/// A peak of the filter's output counts if it is far above the output's RMS within half a second. So level and sound in
/// other bands do not matter. In a room the first strong arrival counts, which is the direct path. The peak's sign does not
/// matter, for a microphone may invert.
///
/// An instance owns a transform. Use it on one thread at a time.
package final class SweepFinder {
    package let sampleRate: Int

    /// The least height of a peak over the RMS around it; noise alone gives 5.5 in an hour.
    private static let leastProminence: Float = 9
    /// The least height of a peak over the highest of all, because silence holds rounding errors of the transform.
    private static let leastHeight: Float = 1e-3
    /// Of peaks within this time, only the highest counts.
    private static let spacingSeconds = 0.25
    /// The longest lead of the direct path over the strongest reflection.
    private static let longestLeadSeconds = 0.015
    /// The least height of the direct path over the highest; the side lobes of a sweep are below a quarter.
    private static let leastDirect: Float = 0.5
    private static let blockSeconds = 10

    private let fft: RealFFT
    private let sweep: [Float]
    private let spectrum: Spectrum

    /// Prepares for recordings at `sampleRate` hertz, at least ``Sweep/lowestSampleRate``.
    package init(sampleRate: Int) {
        precondition(sampleRate >= Sweep.lowestSampleRate, "no sweep fits in \(sampleRate) Hz")
        self.sampleRate = sampleRate
        sweep = Sweep.samples(sampleRate: sampleRate)
        fft = RealFFT(size: RealFFT.fastSize(atLeast: Self.blockSeconds * sampleRate))
        spectrum = Spectrum(of: sweep[...], by: fft)
    }

    /// The first samples of the sweeps that are completely within `samples`, in order; fractions of a sample count.
    package func places(in samples: [Float]) -> [Double] {
        guard samples.count >= sweep.count else { return [] }
        let curve = correlation(with: samples)
        return peaks(of: curve).map { refine(directPath(before: $0, in: curve), in: samples, curve) }
    }

    /// The output of the matched filter at every place where the whole sweep fits, by overlap-save.
    private func correlation(with samples: [Float]) -> [Float] {
        let count = samples.count - sweep.count + 1
        let step = fft.size - sweep.count + 1
        var curve = [Float](repeating: 0, count: count)
        var block = [Float](repeating: 0, count: fft.size)
        for start in stride(from: 0, to: count, by: step) {
            var product = Spectrum(of: samples[start..<min(samples.count, start + fft.size)], by: fft)
            product.multiply(byConjugateOf: spectrum)
            product.inverse(into: &block, by: fft)
            let valid = min(step, count - start)
            curve.replaceSubrange(start..<(start + valid), with: block[..<valid])
        }
        return curve
    }

    private func peaks(of curve: [Float]) -> [Int] {
        let reach = sampleRate / 2
        let spacing = Int(bounded: Self.spacingSeconds * Double(sampleRate))
        let threshold = Double(Self.leastProminence * Self.leastProminence)
        let highest = curve.reduce(0) { max($0, abs($1)) }
        let leastPower = Double(Self.leastHeight * highest) * Double(Self.leastHeight * highest)
        var found: [Int] = []
        curve.withUnsafeBufferPointer { curve in
            var energy = 0.0
            for index in 0..<min(reach, curve.count) { energy += Double(curve[index] * curve[index]) }
            for index in curve.indices {
                let (entering, leaving) = (index + reach, index - reach - 1)
                if entering < curve.count { energy += Double(curve[entering] * curve[entering]) }
                if leaving >= 0 { energy -= Double(curve[leaving] * curve[leaving]) }
                let width = min(entering, curve.count - 1) - max(leaving, -1)
                let power = Double(curve[index] * curve[index])
                guard power > leastPower, power * Double(width) > threshold * energy else { continue }
                if let last = found.last, index - last <= spacing {
                    if abs(curve[index]) > abs(curve[last]) { found[found.count - 1] = index }
                } else {
                    found.append(index)
                }
            }
        }
        return found
    }

    /// The first local peak shortly before `peak` that is nearly as high.
    private func directPath(before peak: Int, in curve: [Float]) -> Int {
        let least = Self.leastDirect * abs(curve[peak])
        let first = max(1, peak - Int(bounded: Self.longestLeadSeconds * Double(sampleRate)))
        let early = (first..<max(first, peak)).first { index in
            let height = abs(curve[index])
            return height >= least && height >= abs(curve[index - 1]) && height > abs(curve[index + 1])
        }
        return early ?? peak
    }

    /// The place between samples, by correlation with the sweep near `peak`.
    private func refine(_ peak: Int, in samples: [Float], _ curve: [Float]) -> Double {
        let margin = 3
        let sign: Float = curve[peak] < 0 ? -1 : 1
        let around = (peak - margin..<peak + sweep.count + margin).map { index in
            samples.indices.contains(index) ? sign * samples[index] : 0
        }
        let (lag, _) = CrossCorrelation.bestLag(of: around, in: sweep, maxLag: 2 * margin)
        return Double(peak - margin) + lag
    }
}
