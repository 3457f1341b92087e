/// The normalised correlation of short cuts of a signal with every place of the same signal.
///
/// Uses overlap-save and keeps the spectra of all blocks: Oppenheim and Schafer, "Discrete-Time Signal Processing",
/// section 8.7.3. An instance owns a transform. Use it on one thread at a time.
package final class SlidingCorrelation {
    /// The length of a cut in samples.
    package let cutLength: Int

    private let signal: [Float]
    private let fft: RealFFT
    private let blocks: [Spectrum]
    private let step: Int
    private let energy: [Double]
    private var curve: [Float]

    /// Takes a signal; uses about 12 bytes of memory for each sample.
    package init(_ signal: [Float], cutLength: Int) {
        precondition(cutLength > 0, "a cut of \(cutLength) samples")
        self.signal = signal
        self.cutLength = cutLength
        let fft = RealFFT(size: RealFFT.fastSize(atLeast: 2 * cutLength))
        let step = fft.size - cutLength + 1
        blocks = stride(from: 0, to: max(0, signal.count - cutLength + 1), by: step).map {
            Spectrum(of: signal[$0..<min(signal.count, $0 + fft.size)], by: fft)
        }
        var energy = [0.0]
        energy.reserveCapacity(signal.count + 1)
        for sample in signal { energy.append(energy[energy.count - 1] + Double(sample) * Double(sample)) }
        self.energy = energy
        self.fft = fft
        self.step = step
        curve = [Float](repeating: 0, count: fft.size)
    }

    package struct Place: Sendable {
        package let start: Int
        /// The correlation coefficient, −1…1.
        package let coefficient: Double
    }

    /// The places from `first` on whose coefficient with the cut at `start` is at least `least`.
    ///
    /// Of places within `spacing` samples, only the best is returned. The cut must be within the signal.
    package func places(resembling start: Int, from first: Int, least: Double, spacing: Int) -> [Place] {
        precondition(start >= 0 && start + cutLength <= signal.count, "no cut at \(start)")
        let ownEnergy = energy[start + cutLength] - energy[start]
        guard ownEnergy > 0 else { return [] }
        let cut = Spectrum(of: signal[start..<(start + cutLength)], by: fft)
        let lastStart = signal.count - cutLength
        var found: [Place] = []
        for (number, block) in blocks.enumerated() where (number + 1) * step > first {
            var product = block
            product.multiply(byConjugateOf: cut)
            product.inverse(into: &curve, by: fft)
            let origin = number * step
            for place in max(first, origin)..<max(first, origin, min(lastStart + 1, origin + step)) {
                let product = Double(curve[place - origin])
                guard product > 0 else { continue }
                let placeEnergy = energy[place + cutLength] - energy[place]
                guard product * product >= least * least * ownEnergy * placeEnergy, placeEnergy > 0 else {
                    continue
                }
                let coefficient = min(1, product / (ownEnergy * placeEnergy).squareRoot())
                if let last = found.last, place - last.start <= spacing {
                    if coefficient > last.coefficient {
                        found[found.count - 1] = Place(start: place, coefficient: coefficient)
                    }
                } else {
                    found.append(Place(start: place, coefficient: coefficient))
                }
            }
        }
        return found
    }
}
