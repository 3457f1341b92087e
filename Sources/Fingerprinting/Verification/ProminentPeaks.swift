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

/// The strongest peaks of a query, or of a piece of it, and their heights above their surroundings.
struct ProminentPeaks: Sendable {
    /// Places among the query's peaks.
    private var places: [Int32] = []
    /// Heights in log2 power, 0…8.
    private var heights: [Float] = []
    private var bands: [UInt8] = []

    /// Measures the peaks that fewer than `ranks` neighbours outrank, each in the spectrogram of its band.
    init(_ query: QueryPeaks, ranks: Int, in spectra: [SpectralContrast]) {
        for place in 0..<query.count where query.ranks.base[place] < ranks {
            let band = Band.all[query.band(place)]
            guard
                let height = spectra[band.place].height(
                    frame: query.frames.base[place] / band.frame, bin: query.bins.base[place])
            else { continue }
            places.append(Int32(place))
            heights.append(min(max(height, 0), 8))
            bands.append(UInt8(band.place))
        }
    }

    /// Counts what the pairs of an alignment explain, part by part in order of the query's peaks.
    struct Count {
        private var tallies = [Tally](repeating: Tally(), count: Band.count)

        /// Counts the peaks of the next part; the pairs are in order of the part's peaks.
        mutating func add(_ peaks: ProminentPeaks, pairs: [PeakPair]) {
            var next = 0
            for index in peaks.places.indices {
                let place = peaks.places[index]
                while next < pairs.count, pairs[next].query < place { next += 1 }
                tallies[Int(peaks.bands[index])].add(
                    Double(peaks.heights[index]),
                    isExplained: next < pairs.count && pairs[next].query == place)
            }
        }

        /// What is explained, for each of `BandSet.all`.
        var explanations: [Explanation] {
            BandSet.all.map { set in
                var sum = Tally()
                for band in tallies.indices where set.contains(band) { sum.add(tallies[band]) }
                return sum.explanation
            }
        }
    }

    private struct Tally {
        private var all = 0.0
        private var explained = 0.0
        private var unexplained = 0.0
        private var unexplainedCount = 0

        mutating func add(_ height: Double, isExplained: Bool) {
            all += height * height
            if isExplained {
                explained += height * height
            } else {
                unexplained += height
                unexplainedCount += 1
            }
        }

        mutating func add(_ other: Tally) {
            all += other.all
            explained += other.explained
            unexplained += other.unexplained
            unexplainedCount += other.unexplainedCount
        }

        var explanation: Explanation {
            Explanation(
                share: all > 0 ? explained / all : 0,
                unexplainedHeight: unexplainedCount > 0 ? unexplained / Double(unexplainedCount) : 0)
        }
    }
}
