import Glibc

/// How far the query's strong peaks are from those of the reference: in milliseconds, in cents and in level.
///
/// The same recording agrees in at least one of them, whatever the noise. A room blurs times and levels, short peaks have
/// blurred frequencies, and noise hardly moves the level of a strong peak. Another rendition of the same notes agrees only
/// as far as notes do, in all three.
struct Misfit: Sendable {
    /// The peaks that count are this high above their surroundings, in log2 power: noise moves lower ones.
    private static let leastHeight: Float = 4
    /// The distances at which a pair counts.
    static let reach = PairingReach(bandFrames: 1.25, bins: 0.5)

    private(set) var peaks = 0
    private var milliseconds = 0.0
    private var cents = 0.0
    private var gains = ChannelGains()
    /// The mean distance in level, in log2 power, once all pairs are counted; nil if they are too few.
    private var levels: Double?

    /// The logarithm of the mean distance in milliseconds, times that in cents, times the root of that in level.
    ///
    /// It is 0 with too few peaks.
    var logarithm: Double {
        guard let levels else { return 0 }
        return log(milliseconds / Double(peaks) + 1) + log(cents / Double(peaks) + 0.3) + log(levels + 0.05)
            / 2
    }

    /// Counts the peaks of a part of the query that have a partner; the pairs are in order of the part's peaks.
    mutating func add(
        _ pairs: [PeakPair], of query: QueryPeaks, and reference: [Peak], in spectra: [SpectralContrast]
    ) {
        var next = 0
        while next < pairs.count {
            let place = Int(pairs[next].query)
            var nearest = pairs[next]
            next += 1
            while next < pairs.count, pairs[next].query == place {
                if pairs[next].distance < nearest.distance { nearest = pairs[next] }
                next += 1
            }
            let height = spectra[query.band(place)].height(
                frame: query.frames.base[place] / nearest.frame, bin: nearest.bins)
            guard let height, height > Self.leastHeight else { continue }
            peaks += 1
            milliseconds += 1000 * FrequencyScale.frameSeconds * Double(abs(nearest.delay))
            cents += 1200 * Double(abs(nearest.octaves))
            gains.add(
                octaves: query.octaves.base[place], level: query.levels.base[place],
                of: reference[Int(nearest.reference)].level)
        }
    }

    /// Compares the levels of all pairs that were counted.
    mutating func finish() { levels = gains.meanDistance }
}

extension PeakPair {
    /// The square of the distance from the prediction, in frames and bins of the band.
    fileprivate var distance: Float {
        let rows = delay / frame
        let columns = bins * octaves * Float(NaturalLogarithmOf2.elevenDigits)
        return rows * rows + columns * columns
    }
}
