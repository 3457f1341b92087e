/// The levels of pairs of peaks, by frequency.
///
/// Noise adds little to a peak that stands out, so the level changes from one peak of a recording to the next as it does
/// in the reference. A device turns treble and bass up or down: the gain is a parabola over the octaves, fitted by least
/// squares that count far distances less. No parabola follows the gains of rooms and telephones, which leaves distances.
package struct ChannelGains: Sendable {
    private var octaves: [Double] = []
    /// What the channel adds to a level, in log2 power.
    private var gains: [Double] = []

    /// The least number of pairs for a distance.
    private static let least = 8
    /// The largest distance that counts, in log2 power.
    private static let farthest = 3.0
    /// The octave in the middle of most peaks: 1 kHz.
    private static let middleOctave = 8.0
    /// Keeps the linear and the square term of the response small where pairs are few.
    private static let stiffness = [0.01, 3, 6]

    package init() {}

    /// Takes a pair, unless a level is at an end of the scale: its true level may be beyond.
    package mutating func add(octaves: Float, level: UInt8, of reference: UInt8) {
        let known = 1..<Peak.highestLevel
        guard known.contains(level), known.contains(reference) else { return }
        self.octaves.append(Double(octaves) - Self.middleOctave)
        gains.append(Double(Peak.levelStep) * (Double(level) - Double(reference)))
    }

    /// The mean distance of a level from the channel's response, in log2 power; nil with less than eight pairs.
    package var meanDistance: Double? {
        guard gains.count >= Self.least else { return nil }
        return distances.reduce(0) { $0 + min(abs($1), Self.farthest) } / Double(gains.count)
    }

    /// The distances of the gains from the response.
    private var distances: [Double] {
        let centre = gains.median
        var distances = gains.map { $0 - centre }
        var weights = [Double](repeating: 1, count: gains.count)
        for _ in 0..<5 {
            let response = response(of: weights, about: centre)
            for place in gains.indices {
                let octave = octaves[place]
                distances[place] =
                    gains[place] - centre
                    - (response.0 + octave * (response.1 + octave * response.2))
            }
            let spread = max(0.3, 1.4826 * distances.map(abs).median) * 1.5
            for place in gains.indices {
                let ratio = distances[place] / spread
                weights[place] = 1 / (1 + ratio * ratio)
            }
        }
        return distances
    }

    /// The coefficients of the parabola nearest to the gains, by Cramer's rule.
    private func response(of weights: [Double], about centre: Double) -> (Double, Double, Double) {
        var (s0, s1, s2, s3, s4) = (Self.stiffness[0], 0.0, Self.stiffness[1], 0.0, Self.stiffness[2])
        var (r0, r1, r2) = (0.0, 0.0, 0.0)
        // The sum of squares is both the last of the first row and the middle of the second.
        var middle = 0.0
        for place in gains.indices {
            let (weight, octave, gain) = (weights[place], octaves[place], gains[place] - centre)
            s0 += weight
            s1 += weight * octave
            middle += weight * octave * octave
            s3 += weight * octave * octave * octave
            s4 += weight * octave * octave * octave * octave
            r0 += weight * gain
            r1 += weight * gain * octave
            r2 += weight * gain * octave * octave
        }
        s2 += middle
        let m0 = s2 * s4 - s3 * s3
        let m1 = s1 * s4 - middle * s3
        let m2 = s1 * s3 - middle * s2
        let determinant = s0 * m0 - s1 * m1 + middle * m2
        let a = r0 * m0 - s1 * (r1 * s4 - r2 * s3) + middle * (r1 * s3 - r2 * s2)
        let b = s0 * (r1 * s4 - r2 * s3) - r0 * m1 + middle * (s1 * r2 - middle * r1)
        let c = s0 * (s2 * r2 - s3 * r1) - s1 * (s1 * r2 - middle * r1) + r0 * m2
        return (a / determinant, b / determinant, c / determinant)
    }
}

extension [Double] {
    /// The value in the middle, the higher of two; 0 of none.
    fileprivate var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
