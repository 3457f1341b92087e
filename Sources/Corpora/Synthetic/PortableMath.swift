/// Elementary functions made of IEEE 754 additions, multiplications and divisions alone.
///
/// They give the same bits on every machine; the C library's do not.
enum PortableMath {
    /// The sine and cosine of `turns` full turns; absolute error below 1e-14.
    static func sineCosine(turns: Double) -> (sine: Double, cosine: Double) {
        // Quarter turns are exact, so the series only ever sees |x| ≤ π/4.
        let quarters = (turns * 4).rounded()
        let x = (turns * 4 - quarters) * (Double.pi / 2)
        let square = x * x
        var sine = 0.0
        var cosine = 0.0
        for n in stride(from: 16.0, through: 2, by: -2) {
            sine = -square * (1 + sine) / (n * (n + 1))
            cosine = -square * (1 + cosine) / (n * (n - 1))
        }
        sine = x * (1 + sine)
        cosine += 1
        switch Int(quarters) & 3 {
        case 0: return (sine, cosine)
        case 1: return (cosine, -sine)
        case 2: return (-sine, -cosine)
        default: return (-cosine, sine)
        }
    }

    /// 2 to the power of `x`; relative error below 1e-14 for |x| < 1000.
    static func power2(_ x: Double) -> Double {
        let whole = x.rounded()
        let y = (x - whole) * 0.693_147_180_559_945_3
        var sum = 1.0
        for n in stride(from: 15.0, through: 1, by: -1) { sum = 1 + sum * y / n }
        return Double(sign: .plus, exponent: Int(whole), significand: sum)
    }

    static func decay(halfLife: Double) -> Double { power2(-1 / max(halfLife, 1e-3)) }

    /// The ratio of amplitudes of a level difference.
    static func amplitude(decibels: Double) -> Double { power2(decibels * 0.166_096_404_744_368_1) }
}
