/// How many of the reference's peaks are found among all peaks of the query, of whatever rank.
///
/// `Evidence` asks the query's strongest peaks; in noise many of those are noise. The reference's peaks are the music's,
/// and faint ones are still there.
struct Recovery: Sendable {
    /// Reference peaks that the query lies on.
    var peaks = 0
    /// Of these, peaks that have a query peak in their box.
    var foundPeaks = 0

    /// The share found, 0…1.
    var share: Double { peaks > 0 ? Double(foundPeaks) / Double(peaks) : 0 }

    init() {}

    /// Counts the reference peaks of an alignment.
    ///
    /// - Parameters:
    ///   - frames: the reference peaks' times from the candidate's reference frame, rising.
    ///   - bins: the frequencies at which they should be heard, in bins.
    init(
        frames: UnsafeBufferPointer<Float>, bins: (Int) -> Float, query: QueryPeaks, queryFrame: Int,
        queryFrameCount: Int, _ alignment: Alignment, settings: Settings.Verification
    ) {
        let slope = 1 / (1 + alignment.timeSkew)
        var first = 0
        for peak in 0..<frames.count {
            let time = Float(queryFrame) + (frames[peak] - alignment.shift) * slope
            guard time >= 0, time < Float(queryFrameCount - 1) else { continue }
            peaks += 1
            while first < query.count, query.frames.base[first] < time - settings.boxFrames { first += 1 }
            let bin = bins(peak)
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
