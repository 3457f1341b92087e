import Foundation

/// A success rate that rises with a level, such as recall with the signal-to-noise ratio.
///
/// It is the logistic psychometric function without guessing, (1 − λ) / (1 + exp(−(x − m) / s)), fitted by
/// maximum likelihood. The lapse rate λ is the share of failures at the highest levels.
///
/// Wichmann and Hill, "The psychometric function: I. Fitting, sampling, and goodness of fit", Perception &
/// Psychophysics 63(8), 2001.
package struct PsychometricCurve: Codable, Hashable, Sendable {
    /// The level m at half of the height.
    package let midpoint: Double
    /// The scale s; the curve rises from 10 % to 90 % of its height within 4.39 s.
    package let spread: Double
    /// The lapse rate λ, 0…0.05.
    package let lapseRate: Double

    /// The largest lapse rate of a fit; a larger one would trade against the midpoint.
    private static let mostLapses = 0.05

    /// The successes at one level; counts need not be whole.
    package struct Level: Hashable, Sendable {
        package let level: Double
        package var successes: Double
        package var trials: Double

        package init(_ level: Double, successes: Double, trials: Double) {
            self.level = level
            self.successes = successes
            self.trials = trials
        }
    }

    package func rate(at level: Double) -> Double {
        (1 - lapseRate) / (1 + exp(-(level - midpoint) / spread))
    }

    /// The level at which the curve reaches `rate`, above 0; nil if it never does.
    package func level(at rate: Double) -> Double? {
        rate < 1 - lapseRate ? midpoint + spread * log(rate / (1 - lapseRate - rate)) : nil
    }

    /// Fits a curve; nil with fewer than two levels that have trials, or if all or none succeeded.
    ///
    /// The levels must differ and may come in any order. The spread is bounded, for data may not determine it: the
    /// rise from 10 % to 90 % takes at least half of the smallest gap between levels. It takes at most ten times
    /// the range of levels. A curve near the result as `start` shortens the search.
    package init?(_ levels: [Level], near start: PsychometricCurve? = nil) {
        let used = levels.filter { $0.trials > 0 }.sorted { $0.level < $1.level }
        let successes = used.reduce(0) { $0 + $1.successes }
        let trials = used.reduce(0) { $0 + $1.trials }
        guard let first = used.first?.level, let last = used.last?.level, first < last, successes > 0,
            successes < trials
        else { return nil }
        let gap = zip(used, used.dropFirst()).map { $1.level - $0.level }.min() ?? 1
        let range = last - first
        let bounds = Bounds(
            midpoint: Interval(lower: first - 3 * range, upper: last + 3 * range),
            spread: Interval(lower: gap / 8.8, upper: range * 10 / 4.4))

        // Divided by the number of trials, so that one tolerance fits any number of them.
        func cost(_ point: [Double]) -> Double {
            let (curve, outside) = bounds.curve(point)
            var sum = 0.0
            for level in used {
                let p = min(max(curve.rate(at: level.level), 1e-12), 1 - 1e-12)
                sum -= level.successes * log(p) + (level.trials - level.successes) * log1p(-p)
            }
            return sum / trials + outside
        }
        func search(_ guess: [Double], steps: [Double], _ tolerance: Double) -> [Double] {
            NelderMead.minimum(from: guess, steps: steps, tolerance: tolerance, of: cost)
        }
        if let start {
            let guess = [start.midpoint, log(start.spread), start.lapseRate]
            self = bounds.curve(search(guess, steps: [gap / 8, 0.1, 0.005], 1e-9)).curve
            return
        }
        // The likelihood can have a shallow second maximum, so the search starts from several slopes.
        let half = used.min { Self.miss($0) < Self.miss($1) }?.level ?? first
        let found = [gap / 4, range / 10, range / 3].map { spread in
            let steps = [gap / 2, 0.5, 0.01]
            // The second search restarts a simplex that has become flat.
            return search(search([half, log(spread), 0.01], steps: steps, 1e-9), steps: steps, 1e-12)
        }
        guard let best = found.min(by: { cost($0) < cost($1) }) else { return nil }
        self = bounds.curve(best).curve
    }

    private init(midpoint: Double, spread: Double, lapseRate: Double) {
        self.midpoint = midpoint
        self.spread = spread
        self.lapseRate = lapseRate
    }

    private static func miss(_ level: Level) -> Double { abs(level.successes / level.trials - 0.5) }

    private struct Bounds {
        let midpoint: Interval
        let spread: Interval

        /// The curve of (m, log s, λ), moved into the bounds, and a penalty for the distance moved.
        func curve(_ point: [Double]) -> (curve: PsychometricCurve, outside: Double) {
            let m = min(max(point[0], midpoint.lower), midpoint.upper)
            let s = min(max(point[1], log(spread.lower)), log(spread.upper))
            let lapse = min(max(point[2], 0), PsychometricCurve.mostLapses)
            let distances = [
                (point[0] - m) / (midpoint.upper - midpoint.lower), point[1] - s, point[2] - lapse,
            ]
            return (
                PsychometricCurve(midpoint: m, spread: exp(s), lapseRate: lapse),
                distances.reduce(0) { $0 + abs($1) }
            )
        }
    }
}
