import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The taps that take audio from one rate to the analysis rate: half-band stages, then a Hann-windowed sinc, phase by
/// phase.
///
/// Rates of `leastHalvedRate` and more are halved until they are below; only what the sinc lets through is kept
/// clean. Of the samples that remain, output sample n lies at n·M/L. Eight zero crossings on either side, cut at 0.92 of
/// the lower Nyquist frequency; each phase sums to 1. Ratios of up to `mostExactPhases` phases
/// have one set of taps each; for others 256 sets are tabulated and neighbours interpolated
/// linearly, which errs by less than −90 dB.
struct DecimationFilter: Sendable {
    /// How often the rate is halved first.
    let halvings: [HalfBandFilter]
    /// L: the interpolation factor of the ratio in lowest terms.
    let interpolation: Int
    /// M: the decimation factor of the ratio in lowest terms.
    let decimation: Int
    /// The number of taps in a phase, a multiple of 16.
    let tapCount: Int
    /// How many phases the table divides one input sample into.
    let phaseCount: Int
    /// Whether neighbouring phases of the table are interpolated; it then has one phase more.
    let interpolatesPhases: Bool
    /// Phase after phase; tap j belongs to sample ⌊n·M/L⌋ − tapCount/2 + 1 + j.
    let taps: [SIMD8<Float>]

    static let mostExactPhases = 1280
    private static let zeroCrossings = 8.0
    private static let cutoff = 0.92

    /// The lowest rate that is halved, in hertz.
    private static let leastHalvedRate = 32_000.0
    /// What the sinc lets through ends here, as a share of the output rate: 4.4 kHz.
    private static let stopShare = 0.55

    init(from inputRate: Int, to outputRate: Int) {
        var rate = Double(inputRate)
        var halvings: [HalfBandFilter] = []
        while rate >= Self.leastHalvedRate {
            halvings.append(HalfBandFilter(inputRate: rate, pass: Self.stopShare * Double(outputRate)))
            rate /= 2
        }
        self.halvings = halvings
        let scaledOutputRate = outputRate << halvings.count
        let divisor = Self.greatestCommonDivisor(inputRate, scaledOutputRate)
        interpolation = scaledOutputRate / divisor
        decimation = inputRate / divisor
        interpolatesPhases = interpolation > Self.mostExactPhases
        phaseCount = interpolatesPhases ? 256 : interpolation

        // Cycles per sample.
        let cutoff = 0.5 * Self.cutoff * min(1, Double(outputRate) / rate)
        let halfWidth = Self.zeroCrossings / (2 * cutoff)
        tapCount = (2 * Int(halfWidth.rounded(.up)) + 15) / 16 * 16
        let rows = phaseCount + (interpolatesPhases ? 1 : 0)
        var taps = [SIMD8<Float>](repeating: .zero, count: rows * tapCount / 8)
        var row = [Double](repeating: 0, count: tapCount)
        for phase in 0..<rows {
            let fraction = Double(phase) / Double(phaseCount)
            var sum = 0.0
            for tap in 0..<tapCount {
                let x = Double(tap - tapCount / 2 + 1) - fraction
                row[tap] = Self.kernel(x, cutoff: cutoff, halfWidth: halfWidth)
                sum += row[tap]
            }
            for tap in 0..<tapCount {
                taps[(phase * tapCount + tap) / 8][tap % 8] = Float(row[tap] / sum)
            }
        }
        self.taps = taps
    }

    private static func kernel(_ x: Double, cutoff: Double, halfWidth: Double) -> Double {
        guard abs(x) < halfWidth else { return 0 }
        let angle = 2 * .pi * cutoff * x
        let sinc = abs(angle) < 1e-9 ? 1 : sin(angle) / angle
        return sinc * (0.5 + 0.5 * cos(.pi * x / halfWidth))
    }

    private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }

    // Taps depend on the rate alone and cost more to make than a query to analyse.
    private static let cache = Mutex<[Int: DecimationFilter]>([:])
    private static let mostCached = 32

    /// The filter from `inputRate` to the analysis rate of 8 kHz, made once for each of the usual rates.
    static func shared(from inputRate: Int) -> DecimationFilter {
        if let known = cache.withLock({ $0[inputRate] }) { return known }
        let made = DecimationFilter(from: inputRate, to: 8000)
        cache.withLock { if $0.count < mostCached { $0[inputRate] = made } }
        return made
    }
}
