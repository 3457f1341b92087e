import Foundation

/// The parts of a probability in saddle-point form, which keeps its precision for large numbers.
///
/// C. Loader, "Fast and accurate computation of binomial probabilities", 2000, as in R's dbinom and dpois.
enum SaddlePoint {
    private static let stirlingSeries: [Double] = [
        1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360_360,
    ]

    /// log Γ(x + 1) − (x + ½) log x + x − ½ log 2π.
    static func stirlingError(_ x: Double) -> Double {
        if x < 16 { return lgamma(x + 1) - (x + 0.5) * log(x) + x - 0.5 * log(2 * .pi) }
        let square = x * x
        return stirlingSeries.reversed().reduce(0) { $0 / square + $1 } / x
    }

    /// x log(x / mean) + mean − x, without cancellation near x = mean.
    static func deviance(_ x: Double, _ mean: Double) -> Double {
        let difference = x - mean
        guard abs(difference) < 0.1 * (x + mean) else { return x * log(x / mean) + mean - x }
        let v = difference / (x + mean)
        var sum = difference * v
        var term = 2 * x * v
        var divisor = 3.0
        while true {
            term *= v * v
            let next = sum + term / divisor
            if next == sum { return next }
            sum = next
            divisor += 2
        }
    }
}
