import Fingerprinting
import Foundation

/// The index of pairs as its description says, by exhaustive search: every later peak is looked at, and all are sorted.
struct IndexOracle {
    /// The frame at which each reference starts, and the end of all.
    private(set) var starts = [272]
    /// For each key its postings.
    private(set) var runs: [[UInt64]]
    /// The anchor buckets of all bands, one after the other.
    private struct Bucket {
        let band: Int
        /// Whole buckets above one bin of 3.90625 Hz.
        let number: Int
        let step: Float
        let firstRow: Int
    }
    private let buckets: [Bucket]
    private let rowCount: Int
    private let settings: Settings

    /// Time differences to a row.
    static let differences = 20

    init(_ settings: Settings) {
        self.settings = settings
        let analysis = settings.analysis
        let index = settings.index
        var buckets: [Bucket] = []
        var rows = 0
        for band in BandOracle.starts.indices {
            let lowest = max(analysis.lowestHertz, BandOracle.lowestHertz[band])
            let end = band + 1 < BandOracle.starts.count ? BandOracle.hertz(band + 1) : .infinity
            let highest = min(analysis.highestHertz, end)
            guard lowest < highest else { continue }
            let first = Int(log2(max(1, lowest / 3.90625 - 1)) * 24)
            for number in first...Int(log2(max(1, highest / 3.90625 + 1)) * 24) {
                let bins = exp2f((Float(number) + 0.5) / 24) / Float(BandOracle.bins[band])
                let step = min(
                    max(index.ratioStepBins / bins, index.finestRatioOctaves), index.coarsestRatioOctaves)
                buckets.append(Bucket(band: band, number: number, step: step, firstRow: rows))
                rows += Int((2 * index.widestOctaves / step).rounded(.up)) + 1
            }
        }
        self.buckets = buckets
        rowCount = rows
        runs = Array(repeating: [], count: rows * Self.differences)
    }

    /// log2 of a stored frequency in bins.
    private static func octaves(_ peak: Peak) -> Float { Float(log2(Double(max(1, peak.frequency)) / 32)) }

    /// Files the pairs of the next reference, band by band.
    mutating func add(_ all: [Peak]) {
        let peaks = all.filter { $0.rank < settings.analysis.referenceRank }
        let start = starts[starts.count - 1]
        for band in BandOracle.starts.indices {
            let own = peaks.filter { BandOracle.band($0) == band }
            for (place, anchor) in own.enumerated() {
                for target in targets(of: anchor, among: own[(place + 1)...], band) {
                    guard let key = key(anchor, target, band) else { continue }
                    let step = Int(Self.octaves(anchor) * 192)
                    runs[key].append(UInt64(((start + Int(anchor.time) / 64) / 4) << 3 | step & 7))
                }
            }
        }
        let length = peaks.last.map { Int($0.time) / 64 + 2 } ?? 0
        starts.append((start + length + 544 + 7) / 8 * 8)
    }

    /// The nearest later peaks of the band within reach.
    private func targets(of anchor: Peak, among later: ArraySlice<Peak>, _ band: Int) -> [Peak] {
        let index = settings.index
        let frame = UInt32(64 * BandOracle.frames[band])
        let near = later.prefix { $0.time - anchor.time <= 20 * frame }
        let costs = near.compactMap { other -> (cost: Float, peak: Peak)? in
            let difference = other.time - anchor.time
            let ratio = abs(Self.octaves(other) - Self.octaves(anchor))
            guard (frame...20 * frame).contains(difference), ratio <= index.widestOctaves else { return nil }
            let inTime = Float(difference) * (1 / Float(20 * frame))
            return (inTime + ratio * (index.ratioWeight / index.widestOctaves), other)
        }
        // Of equals the earlier one is nearer.
        let order = costs.indices.sorted { (costs[$0].cost, $0) < (costs[$1].cost, $1) }
        return order.prefix(index.referencePairs).map { costs[$0].peak }
    }

    private func key(_ anchor: Peak, _ target: Peak, _ band: Int) -> Int? {
        let octaves = Self.octaves(anchor)
        let number = Int(octaves * 24)
        guard let place = buckets.firstIndex(where: { $0.band == band && $0.number == number }) else {
            return nil
        }
        let ratio = Self.octaves(target) - octaves
        let end = place + 1 < buckets.count ? buckets[place + 1].firstRow : rowCount
        let row =
            buckets[place].firstRow
            + Int((ratio + settings.index.widestOctaves) * (1 / buckets[place].step))
        guard row < end else { return nil }
        let frame = Int(64 * BandOracle.frames[band])
        return row * Self.differences + Int(target.time - anchor.time) / frame - 1
    }
}
