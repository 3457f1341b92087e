import AudioCore
import Corpora
import Foundation

/// Finds the ends of a shared passage in two aligned recordings, to about 50 ms.
///
/// Blocks of 50 ms are correlated along the alignment. A first difference reduces the weight of the bass. Each
/// block scores its correlation minus half the median inside the passage. The edge is the place that maximises the
/// sum of the scores, so a single block does not move it. Silent blocks do not count.
struct SharedEdge {
    private static let rate = EquivalenceAudit.sampleRate
    private static let block = rate / 20
    /// The search range around the expected edge, in samples.
    private static let reach = 4 * rate
    /// The length inside the passage that is aligned again because recordings drift, in samples.
    private static let inside = 2 * rate
    /// The power of differences below which a block is silent: that of the rounding of soft files.
    private static let silence: Float = 1e-9

    let waveforms: WaveformComparison

    /// The passage with refined ends; an end stays if the blocks do not decide.
    func refine(_ passage: SharedPassages.Passage) -> SharedPassages.Passage {
        guard passage.timeSkew == 0, passage.range.count >= Self.rate else { return passage }
        let distance = passage.secondStart - passage.range.lowerBound
        let common = waveforms.overlap(at: distance)
        let middle = (passage.range.lowerBound + passage.range.upperBound) / 2
        let begin = edge(near: passage.range.lowerBound, towards: middle, distance, common)
        let end = edge(near: passage.range.upperBound, towards: middle, distance, common)
        guard begin < end else { return passage }
        var refined = passage
        refined.range = begin..<end
        refined.secondStart = begin + distance
        return refined
    }

    /// The edge of the passage near a frame of the first recording; the passage is towards `middle`.
    private func edge(near place: Int, towards middle: Int, _ distance: Int, _ common: Range<Int>) -> Int {
        let inward = middle > place ? 1 : -1
        let depth = min(Self.inside, abs(middle - place))
        let innerStart = inward > 0 ? place : place - depth
        let local = waveforms.compare(
            start: innerStart + inward * depth / 4, distance: distance, length: depth, maxLag: Self.rate / 100
        ).distance
        // From inside the passage outwards.
        let from = place + inward * min(Self.reach, abs(middle - place))
        let count = (min(Self.reach, abs(middle - place)) + Self.reach) / Self.block
        let blocks = (0..<count).map { number -> (start: Int, agreement: Float?) in
            let near = from - inward * number * Self.block
            let start = inward > 0 ? near - Self.block : near
            return (start, agreement(start, local, common))
        }
        let insideBlocks = blocks.prefix(abs(from - place) / Self.block).compactMap(\.agreement).sorted()
        guard let median = insideBlocks.isEmpty ? nil : insideBlocks[insideBlocks.count / 2], median > 0.2
        else { return place }
        var sum: Float = 0
        var best: (sum: Float, place: Int) = (0, from)
        for block in blocks {
            sum += block.agreement.map { max(0, $0) - median / 2 } ?? 0
            if sum > best.sum { best = (sum, inward > 0 ? block.start : block.start + Self.block) }
        }
        return min(max(best.place, common.lowerBound), common.upperBound)
    }

    /// The correlation of a block in both recordings; nil if both are silent, −1 if one has ended.
    private func agreement(_ start: Int, _ distance: Int, _ common: Range<Int>) -> Float? {
        let range = start..<(start + Self.block)
        guard common.lowerBound <= range.lowerBound, range.upperBound <= common.upperBound else { return -1 }
        let a = Self.difference(waveforms.first.samples(in: (range.lowerBound - 1)..<range.upperBound))
        let b = Self.difference(
            waveforms.second.samples(in: (range.lowerBound + distance - 1)..<(range.upperBound + distance)))
        var (product, powerA, powerB): (Float, Float, Float) = (0, 0, 0)
        for (x, y) in zip(a, b) {
            product += x * y
            powerA += x * x
            powerB += y * y
        }
        let floor = Self.silence * Float(Self.block)
        if powerA < floor, powerB < floor { return nil }
        return powerA > 0 && powerB > 0 ? product / (powerA * powerB).squareRoot() : 0
    }

    private static func difference(_ samples: [Float]) -> [Float] {
        zip(samples.dropFirst(), samples).map { $0 - $1 }
    }
}
