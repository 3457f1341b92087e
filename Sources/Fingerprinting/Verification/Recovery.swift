import Glibc

/// How many of the reference's peaks are among all peaks of the query, of any rank.
///
/// `PeakEvidence` counts the query's strongest peaks, many of which are noise in a noisy query. The reference's peaks are
/// music, and their faint counterparts are still in the query.
struct Recovery: Sendable {
    /// Reference peaks within the query's length.
    var peaks = 0
    /// Of these, peaks with a query peak in their box.
    var foundPeaks = 0

    var share: Double { peaks > 0 ? Double(foundPeaks) / Double(peaks) : 0 }

    /// Counts the reference peaks of an alignment in the middle band that fall on the frames `part` of the query.
    ///
    /// - Parameters:
    ///   - frames: The reference peaks' times since the candidate's reference frame, ascending.
    ///   - octaves: The reference peaks' frequencies in octaves above one bin.
    ///   - query: The query's peaks of the middle band, at least those in the box of these frames.
    mutating func add(
        frames: UnsafeBufferPointer<Float>, octaves: UnsafeBufferPointer<Float>, query: QueryPeaks,
        _ part: Range<Int>, queryFrame: Int, _ alignment: Alignment, settings: Settings.Verification
    ) {
        let slope = 1 / (1 + alignment.timeSkew)
        let bands = Band.Crossovers()
        var first = 0
        for peak in 0..<frames.count where bands.place(octaves: octaves[peak]) == Band.middle.place {
            let time = Float(queryFrame) + (frames[peak] - alignment.shift) * slope
            guard time >= Float(part.lowerBound), time < Float(part.upperBound) else { continue }
            peaks += 1
            while first < query.count, query.frames.base[first] < time - settings.boxFrames { first += 1 }
            let bin = exp2f(octaves[peak] + alignment.octaves)
            var place = first
            while place < query.count, query.frames.base[place] <= time + settings.boxFrames {
                if abs(query.bins.base[place] - bin) <= settings.boxBins {
                    foundPeaks += 1
                    break
                }
                place += 1
            }
        }
    }
}
