extension Range<Double> {
    /// The distance of its bounds.
    package var length: Double { upperBound - lowerBound }

    /// How much of it lies in another range; 0 when nothing does.
    package func overlap(_ other: Self) -> Double { clamped(to: other).length }
}
