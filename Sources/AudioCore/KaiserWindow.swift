/// The Kaiser window for filters of finite length.
///
/// J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window function", IEEE ISCAS 1974.
package struct KaiserWindow: Sendable {
    private let beta: Double
    private let middle: Double

    /// A larger `beta` suppresses more and passes less: the stopband is about 8.7 + beta / 0.1102 dB down.
    package init(beta: Double) {
        self.beta = beta
        middle = Self.bessel(beta)
    }

    /// The weight at `place`: 1 at 0, least at −1 and 1.
    package func callAsFunction(_ place: Double) -> Double {
        Self.bessel(beta * max(0, 1 - place * place).squareRoot()) / middle
    }

    /// The modified Bessel function of the first kind and order 0, by its power series.
    private static func bessel(_ x: Double) -> Double {
        var sum = 1.0
        var term = 1.0
        var order = 1.0
        while term > 1e-16 * sum {
            term *= (x / (2 * order)) * (x / (2 * order))
            sum += term
            order += 1
        }
        return sum
    }
}
