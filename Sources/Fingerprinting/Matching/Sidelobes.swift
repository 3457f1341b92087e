/// How high the query's spectrogram is at a reference's peaks, at a candidate's place and at other times within 3 s.
///
/// A recording fits at one place. Two pieces of one tempo fit at every beat. A correlation has a main lobe and sidelobes;
/// what counts is how far the main lobe is above the highest of the others.
package struct Sidelobes: Sendable {
    /// The largest distance of another time, in steps of a matched filter.
    package static let reach = 48
    /// The places, from `reach` steps before the candidate's to `reach` steps after it.
    package static let places = 0..<2 * reach + 1
    /// The least distance of another time, in steps: a nearer one may be on the slope of the main lobe.
    private static let guardSteps = 8
    /// How many of the peaks at the candidate's place another time must have within the query.
    private static let leastShare = 0.3
    private static let leastTimes = 10
    /// Keeps a small lead small where all other times are alike, in log2 power.
    private static let leastDeviation = 0.1

    private var sums = [Int32](repeating: 0, count: places.count)
    /// The number of peaks at each place, less that at the place before.
    private var changes = [Int32](repeating: 0, count: places.count + 1)

    package init() {}

    /// Adds the heights at a peak, in units of a matched filter.
    ///
    /// - Parameters:
    ///   - heights: The height for each of `range`.
    ///   - range: The places where the peak is within the query.
    @inline(__always)
    package mutating func add(_ heights: UnsafeBufferPointer<Int16>, at range: Range<Int>) {
        changes[range.lowerBound] += 1
        changes[range.upperBound] -= 1
        sums.withUnsafeMutableBufferPointer { sums in
            guard let sums = sums.baseAddress, let heights = heights.baseAddress else { return }
            for place in 0..<range.count { sums[range.lowerBound + place] &+= Int32(heights[place]) }
        }
    }

    /// The mean height at the candidate's place less the highest elsewhere, in standard deviations of the others.
    ///
    /// Nil if the query or the reference is too short for other times.
    package var lead: Double? {
        var count = 0
        let unit = Double(MatchedFilter.unit)
        let means = Self.places.map { place in
            count += Int(changes[place])
            return (count: count, mean: Double(sums[place]) / (unit * Double(max(count, 1))))
        }
        let own = means[Self.reach]
        let others = Self.places.filter {
            abs($0 - Self.reach) >= Self.guardSteps && means[$0].count > 0
                && Double(means[$0].count) >= Self.leastShare * Double(own.count)
        }.map { means[$0].mean }
        guard own.count > 0, others.count >= Self.leastTimes, let highest = others.max() else { return nil }
        let mean = others.reduce(0, +) / Double(others.count)
        let variance = others.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(others.count)
        let main = means[Self.reach - 1...Self.reach + 1].reduce(-.infinity) { max($0, $1.mean) }
        return (main - highest) / (variance.squareRoot() + Self.leastDeviation)
    }
}
