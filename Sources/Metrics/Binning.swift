import Foundation

/// Counts of values in adjoining intervals, for drawing a distribution.
package struct Binning: Codable, Hashable, Sendable {
    /// The ends of the bins, rising; one more than there are bins.
    package let edges: [Double]
    /// How many values fell into each bin; a bin holds its lower end, the last one also its upper end.
    package let counts: [Int]
    package let below: Int
    package let above: Int

    /// Counts `values` between `edges`, which must rise and be at least two.
    package init(_ values: [Double], edges: [Double]) {
        precondition(edges.count >= 2, "\(edges.count) edges make no bin")
        precondition(zip(edges, edges.dropFirst()).allSatisfy { $0 < $1 }, "edges must rise")
        var counts = [Int](repeating: 0, count: edges.count - 1)
        var below = 0
        var above = 0
        for value in values {
            if value < edges[0] {
                below += 1
            } else if value > edges[edges.count - 1] {
                above += 1
            } else {
                let next = edges.firstIndex { $0 > value } ?? edges.count - 1
                counts[next - 1] += 1
            }
        }
        self.edges = edges
        self.counts = counts
        self.below = below
        self.above = above
    }

    package static func even(from lower: Double, to upper: Double, count: Int) -> [Double] {
        precondition(lower < upper && count >= 1, "\(count) bins from \(lower) to \(upper)")
        return (0...count).map { lower + (upper - lower) * Double($0) / Double(count) }
    }

    /// The edges of `count` bins of equal ratio; both ends must be above 0.
    package static func logarithmic(from lower: Double, to upper: Double, count: Int) -> [Double] {
        precondition(0 < lower && lower < upper && count >= 1, "\(count) bins from \(lower) to \(upper)")
        return (0...count).map { lower * pow(upper / lower, Double($0) / Double(count)) }
    }
}
