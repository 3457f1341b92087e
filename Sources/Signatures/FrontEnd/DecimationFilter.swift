import AudioCore
import Synchronization

/// The filters that convert audio to the analysis rate: half-band stages, then a Hann-windowed sinc in phases.
///
/// Half-band stages halve rates of `halvedShare` times the output's and more; they reject aliases only in the band
/// that the sinc passes. Output sample n is at n·M/L of the remaining samples. The sinc has eight zero crossings on either side and
/// its cutoff at 0.92 of the lower Nyquist frequency; each phase sums to 1. A ratio of up to `mostExactPhases` phases
/// has one set of taps for each phase. Other ratios interpolate linearly in a table of 256 sets, with an error below
/// −90 dB.
struct DecimationFilter: Sendable {
    /// The half-band stages, one for each halving of the rate.
    let halvings: [HalfBandFilter]
    /// L: the interpolation factor of the ratio in lowest terms.
    let interpolation: Int
    /// M: the decimation factor of the ratio in lowest terms.
    let decimation: Int
    /// The number of taps in a phase, a multiple of 8.
    let tapCount: Int
    /// The phases of the table to one input sample.
    let phaseCount: Int
    /// Whether the table is interpolated; it then has one more phase.
    let interpolatesPhases: Bool
    /// The taps of all phases in order; tap j belongs to sample ⌊n·M/L⌋ − tapCount/2 + 1 + j.
    let taps: [SIMD8<Float>]

    static let mostExactPhases = 1280
    private static let zeroCrossings = 8.0
    private static let cutoff = 0.92

    /// The lowest rate to halve, as a multiple of the output rate.
    private static let halvedShare = 2.5
    /// The end of the sinc's transition band as a share of the output rate.
    private static let stopShare = 0.55

    init(from inputRate: Int, to outputRate: Int) {
        var rate = Double(inputRate)
        var halvings: [HalfBandFilter] = []
        while rate >= Self.halvedShare * Double(outputRate) {
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
        tapCount = (2 * Int(bounded: halfWidth.rounded(.up)) + 7) / 8 * 8
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

    // Taps depend on the rate alone. To make them takes longer than to analyse a query.
    private static let cache = Mutex<[[Int]: DecimationFilter]>([:])
    private static let mostCached = 32

    /// The filter between two rates, from a cache.
    static func shared(from inputRate: Int, to outputRate: Int) -> DecimationFilter {
        let rates = [inputRate, outputRate]
        if let known = cache.withLock({ $0[rates] }) { return known }
        let made = DecimationFilter(from: inputRate, to: outputRate)
        cache.withLock { if $0.count < mostCached { $0[rates] = made } }
        return made
    }
}
