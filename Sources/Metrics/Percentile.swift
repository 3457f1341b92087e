/// Quantiles of a sample.
package enum Percentile {
    /// The quantile of finite `values` at `fraction`, 0…1, interpolated linearly; nil without values.
    ///
    /// With h = (n − 1) · fraction it is x⌊h⌋ + (h − ⌊h⌋)(x⌊h⌋₊₁ − x⌊h⌋) of the sorted values, as in R and NumPy.
    /// Definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician 50(4),
    /// 1996.
    package static func of(_ values: [Double], at fraction: Double) -> Double? {
        ofSorted(values.sorted(), at: fraction)
    }

    /// The same for values in rising order.
    package static func ofSorted(_ sorted: [Double], at fraction: Double) -> Double? {
        precondition(fraction >= 0 && fraction <= 1, "a quantile at \(fraction)")
        guard let last = sorted.last else { return nil }
        let position = Double(sorted.count - 1) * fraction
        let index = Int(position)
        guard index + 1 < sorted.count else { return last }
        return sorted[index] + (position - Double(index)) * (sorted[index + 1] - sorted[index])
    }
}
