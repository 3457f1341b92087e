import Fingerprinting
import Foundation

/// The index of pairs as its description says, by exhaustive search: every later peak is looked at, and all are sorted.
struct IndexOracle {
    /// The frame at which each reference starts, and the end of all.
    private(set) var starts = [272]
    /// For each key its postings.
    private(set) var runs: [[UInt64]]
    /// The first key of each anchor bucket.
    private let firstRows: [Int]
    private let steps: [Float]
    private let firstBucket: Int
    private let settings: Settings

    /// Time differences to a row.
    static let differences = 20

    init(_ settings: Settings) {
        self.settings = settings
        let analysis = settings.analysis
        let lowest = max(1, analysis.lowestHertz / 3.90625 - 1)
        let highest = max(lowest, analysis.highestHertz / 3.90625 + 1)
        firstBucket = Int(log2(lowest) * 24)
        var firstRows = [0]
        var steps: [Float] = []
        for bucket in firstBucket...Int(log2(highest) * 24) {
            let bins = exp2f((Float(bucket) + 0.5) / 24)
            let index = settings.index
            let step = min(
                max(index.ratioStepBins / bins, index.finestRatioOctaves), index.coarsestRatioOctaves)
            steps.append(step)
            firstRows.append(
                firstRows[firstRows.count - 1] + Int((2 * index.widestOctaves / step).rounded(.up)) + 1)
        }
        self.firstRows = firstRows
        self.steps = steps
        runs = Array(repeating: [], count: firstRows[firstRows.count - 1] * Self.differences)
    }

    /// log2 of a stored frequency in bins.
    private static func octaves(_ peak: Peak) -> Float { Float(log2(Double(max(1, peak.frequency)) / 64)) }

    /// Files the pairs of the next reference.
    mutating func add(_ all: [Peak]) {
        let peaks = all.filter { $0.rank < settings.analysis.referenceRank }
        let start = starts[starts.count - 1]
        for (place, anchor) in peaks.enumerated() {
            for target in targets(of: anchor, among: peaks[(place + 1)...]) {
                guard let key = key(anchor, target) else { continue }
                let step = Int(Self.octaves(anchor) * 192)
                runs[key].append(UInt64(((start + Int(anchor.time) / 64) / 4) << 3 | step & 7))
            }
        }
        let length = peaks.last.map { Int($0.time) / 64 + 2 } ?? 0
        starts.append((start + length + 544 + 7) / 8 * 8)
    }

    /// The nearest later peaks within reach.
    private func targets(of anchor: Peak, among later: ArraySlice<Peak>) -> [Peak] {
        let index = settings.index
        let near = later.prefix { $0.time - anchor.time <= 1280 }
        let costs = near.compactMap { other -> (cost: Float, peak: Peak)? in
            let difference = other.time - anchor.time
            let ratio = abs(Self.octaves(other) - Self.octaves(anchor))
            guard (64...1280).contains(difference), ratio <= index.widestOctaves else { return nil }
            return (Float(difference) * (1 / 1280) + ratio * (index.ratioWeight / index.widestOctaves), other)
        }
        // Of equals the earlier one is nearer.
        let order = costs.indices.sorted { (costs[$0].cost, $0) < (costs[$1].cost, $1) }
        return order.prefix(index.referencePairs).map { costs[$0].peak }
    }

    private func key(_ anchor: Peak, _ target: Peak) -> Int? {
        let octaves = Self.octaves(anchor)
        let bucket = Int(octaves * 24) - firstBucket
        guard steps.indices.contains(bucket) else { return nil }
        let ratio = Self.octaves(target) - octaves
        let row = firstRows[bucket] + Int((ratio + settings.index.widestOctaves) * (1 / steps[bucket]))
        guard row < firstRows[bucket + 1] else { return nil }
        return row * Self.differences + Int(target.time - anchor.time) / 64 - 1
    }

    /// The first posting of each row, and their number.
    var rowStarts: [UInt64] {
        var sum: UInt64 = 0
        var starts: [UInt64] = [0]
        for row in stride(from: 0, to: runs.count, by: Self.differences) {
            sum += UInt64(runs[row..<(row + Self.differences)].reduce(0) { $0 + $1.count })
            starts.append(sum)
        }
        return starts
    }

    /// For each key how many of its row's postings there are up to its end.
    var counts: [UInt64] {
        var sum: UInt64 = 0
        return runs.enumerated().map { key, run in
            sum = key % Self.differences == 0 ? UInt64(run.count) : sum + UInt64(run.count)
            return sum
        }
    }
}
