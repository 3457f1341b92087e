/// Joins pieces of noise with crossfades.
package struct Crossfade {
    package private(set) var samples: [Float] = []

    /// The length of the overlap in samples.
    package let overlap: Int

    package init(overlap: Int) { self.overlap = max(1, overlap) }

    /// Appends a piece that overlaps the end of the present samples.
    ///
    /// The squares of the two gains add up to 1, so the power of unrelated sounds stays level.
    package mutating func append(_ piece: [Float], gain: Float = 1) {
        let shared = min(overlap, piece.count / 2, samples.count)
        let start = samples.count - shared
        for index in 0..<shared {
            let position = (Float(index) + 0.5) / Float(shared)
            let old = (1 - position).squareRoot()
            samples[start + index] =
                samples[start + index] * old + piece[index] * gain * position.squareRoot()
        }
        samples.reserveCapacity(start + piece.count)
        for index in shared..<max(shared, piece.count) { samples.append(piece[index] * gain) }
    }
}
