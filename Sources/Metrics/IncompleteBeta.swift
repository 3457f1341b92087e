import Foundation

enum IncompleteBeta {
    /// Iₓ(a, b), the probability that a beta variable is below `x`; relative accuracy about 1e-13.
    ///
    /// It is the continued fraction of DLMF 8.17.22 times xᵃ(1 − x)ᵇ / (a B(a, b)). Lentz's method evaluates the
    /// fraction on the side of the mean where it converges fast. The factor is written as a binomial probability,
    /// because logarithms of gamma functions would lose digits in proportion to a + b.
    static func regularized(_ a: Double, _ b: Double, at x: Double) -> Double {
        precondition(a > 0 && b > 0 && x >= 0 && x <= 1, "incomplete beta of \(a), \(b) at \(x)")
        if x == 0 || x == 1 { return x }
        return x <= (a + 1) / (a + b + 2)
            ? lower(a, b, x, complement: 1 - x) : 1 - lower(b, a, 1 - x, complement: x)
    }

    /// For `x` below about the mean; `complement` is 1 − x.
    private static func lower(_ a: Double, _ b: Double, _ x: Double, complement: Double) -> Double {
        let front = b / (a + b) * probability(of: a, in: a + b, at: x, complement: complement)
        return front / fraction(a, b, x)
    }

    /// The denominator of DLMF 8.17.22: 1 + d₁/(1 + d₂/(1 + …)).
    private static func fraction(_ a: Double, _ b: Double, _ x: Double) -> Double {
        let least = 1e-300
        var value = 1.0
        var numerator = 1.0
        var denominator = 0.0
        var step = 1.0
        while true {
            let m = (step / 2).rounded(.down)
            let d =
                step.truncatingRemainder(dividingBy: 2) == 0
                ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            numerator = 1 + d / numerator
            denominator = 1 + d * denominator
            if abs(numerator) < least { numerator = least }
            if abs(denominator) < least { denominator = least }
            denominator = 1 / denominator
            let change = numerator * denominator
            value *= change
            // It converges within about √max(a, b) steps; the bound only guards against rounding.
            if abs(change - 1) < 1e-16 || step > 1e6 { return value }
            step += 1
        }
    }

    /// The binomial probability of `k` of `n` in saddle-point form; neither need be whole, 0 < k < n.
    static func probability(of k: Double, in n: Double, at p: Double, complement q: Double) -> Double {
        let rest = n - k
        let exponent =
            SaddlePoint.stirlingError(n) - SaddlePoint.stirlingError(k) - SaddlePoint.stirlingError(rest)
            - SaddlePoint.deviance(k, n * p) - SaddlePoint.deviance(rest, n * q)
        return exp(exponent) * (n / (2 * .pi * k * rest)).squareRoot()
    }
}
