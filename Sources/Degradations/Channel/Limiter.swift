import AudioCore

/// Keeps peaks below a level by a gain that falls before a peak and rises after it, without delay.
///
/// Each frame gets the least gain that any frame within `reachSeconds` on either side needs. The mean of these gains over
/// as many frames is smooth, and still no peak passes.
struct Limiter {
    let ceiling: Float
    let reachSeconds: Double

    /// The factor of each frame, at most 1, for audio with these greatest magnitudes.
    func gains(for level: [Float], sampleRate: Int) -> [Float] {
        let reach = max(1, Int(bounded: (reachSeconds * Double(sampleRate)).rounded()))
        let needed = level.map { $0 > ceiling ? ceiling / $0 : 1 }
        return Self.means(of: Self.minima(of: needed, reach: reach), reach: reach)
    }

    /// The least value within `reach` on either side, by a queue of rising candidates.
    ///
    /// D. Lemire, "Streaming maximum-minimum filter using no more than three comparisons per element", Nordic Journal of
    /// Computing 13(4), 2006.
    private static func minima(of values: [Float], reach: Int) -> [Float] {
        var queue: [Int] = []
        var head = 0
        var minima = [Float](repeating: 1, count: values.count)
        for end in 0..<values.count + reach {
            if end < values.count {
                while queue.count > head, values[queue[queue.count - 1]] >= values[end] { queue.removeLast() }
                queue.append(end)
            }
            let centre = end - reach
            guard centre >= 0 else { continue }
            while queue[head] < centre - reach { head += 1 }
            minima[centre] = values[queue[head]]
        }
        return minima
    }

    /// The mean within `reach` on either side; frames outside count as the nearest one inside.
    private static func means(of values: [Float], reach: Int) -> [Float] {
        guard let first = values.first, let last = values.last else { return [] }
        func value(_ index: Int) -> Double {
            Double(index < 0 ? first : index < values.count ? values[index] : last)
        }
        var sum = (-reach...reach).reduce(0) { $0 + value($1) }
        return values.indices.map { index in
            let mean = sum / Double(2 * reach + 1)
            sum += value(index + reach + 1) - value(index - reach)
            // Rounding may lift a mean above the values.
            return min(Float(mean), 1)
        }
    }
}
