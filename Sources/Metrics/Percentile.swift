/// Quantiles of a sample.
public enum Percentile {
    /// The quantile of `values` at `fraction`, interpolated linearly; nil when there are none.
    ///
    /// Definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American
    /// Statistician 50(4), 1996, the default of R and NumPy: with h = (n − 1) · fraction,
    /// x⌊h⌋ + (h − ⌊h⌋)(x⌊h⌋₊₁ − x⌊h⌋) of the sorted values x₀ … x₍ₙ₋₁₎.
    ///
    /// - Parameters:
    ///   - values: finite numbers in any order.
    ///   - fraction: 0…1; 0.5 is the median.
    public static func of(_ values: [Double], at fraction: Double) -> Double? {
        ofSorted(values.sorted(), at: fraction)
    }

    /// The same for values that are in rising order already.
    public static func ofSorted(_ sorted: [Double], at fraction: Double) -> Double? {
        precondition(fraction >= 0 && fraction <= 1, "a quantile at \(fraction)")
        guard let last = sorted.last else { return nil }
        let position = Double(sorted.count - 1) * fraction
        let index = Int(position)
        guard index + 1 < sorted.count else { return last }
        return sorted[index] + (position - Double(index)) * (sorted[index + 1] - sorted[index])
    }
}
