extension Range<Double> {
    package var length: Double { upperBound - lowerBound }

    /// The length of the intersection with another range; 0 if there is none.
    package func overlap(_ other: Self) -> Double { clamped(to: other).length }

    /// What is left without `others`, in order.
    package func pieces(outside others: [Self]) -> [Self] {
        var pieces: [Self] = []
        var start = lowerBound
        for other in others.map({ $0.clamped(to: self) }).sorted(by: { $0.lowerBound < $1.lowerBound })
        where !other.isEmpty {
            if other.lowerBound > start { pieces.append(start..<other.lowerBound) }
            start = Swift.max(start, other.upperBound)
        }
        return start < upperBound ? pieces + [start..<upperBound] : pieces
    }
}
