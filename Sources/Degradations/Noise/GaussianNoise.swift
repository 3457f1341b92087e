import AudioCore
import Foundation

/// Independent normal samples by Marsaglia's polar method (SIAM Review 6(3), 1964).
enum GaussianNoise {
    /// Mean 0 and variance 1.
    static func samples(_ count: Int, using generator: inout SeededGenerator) -> [Float] {
        [Float](unsafeUninitializedCapacity: count) { out, filled in
            var index = 0
            while index < count {
                let x = 2 * generator.unit() - 1
                let y = 2 * generator.unit() - 1
                let square = x * x + y * y
                guard square > 0, square < 1 else { continue }
                let factor = (-2 * log(square) / square).squareRoot()
                out.initializeElement(at: index, to: Float(x * factor))
                if index + 1 < count { out.initializeElement(at: index + 1, to: Float(y * factor)) }
                index += 2
            }
            filled = count
        }
    }
}
