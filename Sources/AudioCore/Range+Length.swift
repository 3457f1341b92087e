extension Range<Double> {
    package var length: Double { upperBound - lowerBound }

    /// The length of the intersection with another range; 0 if there is none.
    package func overlap(_ other: Self) -> Double { clamped(to: other).length }
}
