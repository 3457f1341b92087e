/// How much of the query's prominent peaks a reference explains.
///
/// Noise makes flat peaks, other music prominent ones. A candidate that leaves prominent peaks unexplained is a
/// quotation or chance. One that leaves only flat peaks is the recording in noise.
struct Explanation: Sendable {
    /// The share of the strong peaks' squared height that has a partner in the reference, 0…1.
    var share = 0.0
    /// The mean height of strong peaks without a partner, in log2 power.
    var unexplainedHeight = 0.0
}

/// The query's strongest peaks and their heights above their surroundings.
struct ProminentPeaks: Sendable {
    /// Indices in the query's peaks.
    private var places: [Int32] = []
    /// Heights in log2 power, 0…8.
    private var heights: [Float] = []

    /// Measures the peaks that fewer than `ranks` neighbours outrank.
    init(_ query: QueryPeaks, ranks: Int, in spectrum: SpectralContrast) {
        for place in 0..<query.count where query.ranks.base[place] < ranks {
            guard let height = spectrum.height(frame: query.frames.base[place], bin: query.bins.base[place])
            else { continue }
            places.append(Int32(place))
            heights.append(min(max(height, 0), 8))
        }
    }

    /// What the pairs of an alignment explain; the pairs are in order of the query's peaks.
    func explained(by pairs: [PeakPair]) -> Explanation {
        var all = 0.0
        var explained = 0.0
        var unexplained = 0.0
        var unexplainedCount = 0
        var next = 0
        for (place, height) in zip(places, heights) {
            while next < pairs.count, pairs[next].query < place { next += 1 }
            let height = Double(height)
            all += height * height
            if next < pairs.count, pairs[next].query == place {
                explained += height * height
            } else {
                unexplained += height
                unexplainedCount += 1
            }
        }
        return Explanation(
            share: all > 0 ? explained / all : 0,
            unexplainedHeight: unexplainedCount > 0 ? unexplained / Double(unexplainedCount) : 0)
    }
}
