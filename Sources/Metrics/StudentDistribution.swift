/// Student's t distribution.
struct StudentDistribution {
    /// Above 0; need not be whole.
    let degreesOfFreedom: Double

    /// The quantile at the probability `p`, 0.5 ≤ `p` < 1; relative accuracy about 1e-10.
    ///
    /// Let ν be the degrees of freedom. The probability of a magnitude above t is Iₓ(ν/2, ½) at x = ν / (ν + t²),
    /// with the incomplete beta function I: NIST Digital Library of Mathematical Functions, 8.17.
    func quantile(_ p: Double) -> Double {
        precondition(p >= 0.5 && p < 1, "a probability of \(p)")
        let x = Bisection.root(between: 0, and: 1) { x in
            IncompleteBeta.regularized(degreesOfFreedom / 2, 0.5, at: x) < 2 * (1 - p)
        }
        return (degreesOfFreedom * (1 - x) / x).squareRoot()
    }

    /// The probability of a value of at least `t`.
    func exceeding(_ t: Double) -> Double {
        let x = degreesOfFreedom / (degreesOfFreedom + t * t)
        let oneSided = IncompleteBeta.regularized(degreesOfFreedom / 2, 0.5, at: x) / 2
        return t >= 0 ? oneSided : 1 - oneSided
    }
}
