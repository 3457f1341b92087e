import AudioCore

/// A rough alignment: the time, time skew and frequency skew on which most pairs agree.
struct CoarseFit: Sendable {
    private var histogram: [Int32] = []
    private var octaves: [Float] = []

    /// The alignment relative to that of the pairs, or nil when fewer agree than `least` of the middle band count.
    ///
    /// For each time skew on a grid, a histogram counts the pairs' delays in bins of one frame. The three neighbouring
    /// bins with the largest count win. The frequency skew is the most frequent one, in a window of 0.006 octaves, among
    /// the pairs within two frames.
    ///
    /// - Parameters:
    ///   - reach: The largest delay, in frames.
    ///   - halfLength: The largest |u|, half the query's length in frames.
    mutating func fit(
        _ pairs: [PeakPair], reach: Float, halfLength: Float, largestTimeSkew: Float, least: Int
    ) -> Alignment? {
        guard pairs.count >= least else { return nil }
        let step = 2 / max(halfLength, 2)
        let steps = Int(bounded: largestTimeSkew / step + 0.25)
        let half = Int(reach) + 3
        let centre = Float(half) + 0.5
        var bestCount: Int32 = 0
        var best = Alignment(shift: 0, timeSkew: 0, octaves: 0)
        if histogram.count < 2 * half + 1 { histogram = [Int32](repeating: 0, count: 2 * half + 1) }
        // From no skew outwards, so that the smallest of equal skews wins.
        for rung in 0...(2 * steps) {
            let skew = Float((rung + 1) / 2) * (rung % 2 == 0 ? step : -step)
            for bin in 0..<(2 * half + 1) { histogram[bin] = 0 }
            histogram.withUnsafeMutableBufferPointer { histogram in
                for pair in pairs {
                    let place = pair.delay - skew * pair.u + centre
                    guard place >= 0, Int(place) <= 2 * half else { continue }
                    // In thirds: a longer frame tells less about the time.
                    histogram[Int(place)] &+= min(pair.band + 1, 3)
                }
                // From the middle outwards, earlier ones first.
                for step in 1..<2 * half {
                    let bin = step % 2 == 0 ? half - step / 2 : half + step / 2
                    let count = histogram[bin - 1] &+ histogram[bin] &+ histogram[bin + 1]
                    guard count > bestCount else { continue }
                    bestCount = count
                    best.shift = Float(bin - half)
                    best.timeSkew = skew
                }
            }
        }
        guard bestCount >= 3 * Int32(least) else { return nil }
        best.octaves = mode(pairs, near: best)
        return best
    }

    private mutating func mode(_ pairs: [PeakPair], near fit: Alignment) -> Float {
        octaves.removeAll(keepingCapacity: true)
        for pair in pairs where abs(pair.delay - fit.shift - fit.timeSkew * pair.u) <= 2 {
            octaves.append(pair.octaves)
        }
        octaves.sort()
        let window: Float = 0.006
        var bestRange = 0..<0
        var low = 0
        for high in 0..<octaves.count {
            while octaves[high] - octaves[low] > window { low += 1 }
            if high + 1 - low > bestRange.count { bestRange = low..<(high + 1) }
        }
        guard !bestRange.isEmpty else { return 0 }
        return octaves[bestRange].reduce(0, +) / Float(bestRange.count)
    }
}
