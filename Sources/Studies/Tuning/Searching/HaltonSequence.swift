import AudioCore

/// A randomised Halton sequence: any number of its points fills the unit cube evenly.
///
/// Coordinate j of point i is the radical inverse of i in the j-th prime as base. A random permutation for each base
/// and place replaces its digits. For every base b and k, each of the bᵏ equal intervals of its coordinate has
/// exactly one of the first bᵏ points.
///
/// J. H. Halton, "On the efficiency of certain quasi-random sequences of points in evaluating multi-dimensional
/// integrals", Numerische Mathematik 2, 1960. Randomised as in A. B. Owen, "A randomized Halton algorithm in R",
/// arXiv:1706.02808, 2017.
package struct HaltonSequence: Sendable {
    private struct Coordinate: Sendable {
        let base: Int
        /// The new value of each digit, for each place after the point.
        let digits: [[Int]]
    }

    private let coordinates: [Coordinate]

    /// Draws the permutations of `dimensions` coordinates, at least 1, from `seed`.
    package init(dimensions: Int, seed: UInt64) {
        precondition(dimensions >= 1, "\(dimensions) dimensions")
        var primes: [Int] = []
        var number = 2
        while primes.count < dimensions {
            if !primes.contains(where: { number.isMultiple(of: $0) }) { primes.append(number) }
            number += 1
        }
        coordinates = primes.map { base in
            var generator = SeededGenerator(seed: seed, "halton", "\(base)")
            var places = 0
            var cells = 1.0
            while cells < 0x1p32 {
                cells *= Double(base)
                places += 1
            }
            return Coordinate(
                base: base, digits: (0..<places).map { _ in (0..<base).shuffled(using: &generator) })
        }
    }

    /// Point number `index`, from 0, with coordinates in 0 ..< 1.
    package func point(_ index: Int) -> [Double] {
        coordinates.map { coordinate in
            var rest = index
            var weight = 1.0
            var value = 0.0
            for place in coordinate.digits {
                weight /= Double(coordinate.base)
                value += weight * Double(place[rest % coordinate.base])
                rest /= coordinate.base
            }
            return min(value, 1 - 0x1p-53)
        }
    }
}
