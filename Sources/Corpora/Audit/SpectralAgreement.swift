import AudioCore
import Foundation
import SignalProcessing

/// Follows a passage that two recordings share at another speed or pitch, by the shape of their spectra.
///
/// Waveforms agree only at one speed. The levels of narrow bands, each against those around it, agree at any. With those of the
/// same sound from another encoder the agreement is about 0.9, and with other sound about 0.
struct SpectralAgreement {
    /// The least agreement of half a second of a passage.
    private static let leastOfBlock = 0.5
    /// The least median agreement of a passage: another performance of the same notes has less.
    private static let least = 0.7
    private static let bandsPerOctave = 24.0
    private static let bandHertz = 250.0...3400.0
    private static let bandCount = Int(
        bounded: (log2(bandHertz.upperBound / bandHertz.lowerBound) * bandsPerOctave).rounded(.down))
    /// A frame is 16 ms, its window 128 ms.
    private static let hop = EquivalenceAudit.sampleRate / 1000 * 16
    private static let window = 8 * hop
    /// The bands on either side that a band's level is compared with: half an octave.
    private static let context = 12
    /// Half a second is compared at once, and the line corrected by at most 48 ms.
    private static let block = 32
    private static let reach = 3
    /// The first place may be off by 128 ms.
    private static let firstReach = 8
    private static let step = block / 2
    /// The frames around an edge that place it.
    private static let edgeBlock = 8
    private static let longestGap = 3 * block
    /// An edge this near the end of a recording is that end.
    private static let endFrames = 16

    /// A frame of the first recording and its place in the second, in frames.
    private struct Anchor {
        var frame: Int
        var second: Double
        var agreement: Double
    }

    private let first: [Float]
    private let second: [Float]
    private let firstCount: Int
    private let secondCount: Int

    /// - Parameter frequencySkew: The second's frequencies by those of the first, minus 1.
    init(_ waveforms: WaveformComparison, frequencySkew: Double) {
        (first, firstCount) = Self.levels(waveforms.first, scale: 1)
        (second, secondCount) = Self.levels(waveforms.second, scale: 1 + frequencySkew)
    }

    /// The passage around a place that a matcher named; nil if the spectra do not agree.
    func passage(around hit: PlacedHit) -> SharedPassages.Passage? {
        let slope = 1 + hit.timeSkew
        let middle = EquivalenceAudit.windowSeconds * EquivalenceAudit.sampleRate / 2
        let expected = Double(hit.start + hit.distance) + Double(middle) * slope
        let start = anchor(
            at: (hit.start + middle) / Self.hop, near: expected / Double(Self.hop), slope,
            reach: Self.firstReach)
        guard let start, start.agreement >= Self.leastOfBlock else { return nil }
        let later = followed(from: start, slope, by: Self.step)
        let earlier = followed(from: start, slope, by: -Self.step)
        let agreements = (earlier + [start] + later).map(\.agreement).sorted()
        let median = agreements[agreements.count / 2]
        guard median >= Self.least else { return nil }
        let begin = edge(of: earlier.reversed() + [start], slope, median, by: -1)
        let end = edge(of: [start] + later, slope, median, by: 1)
        guard begin.frame < end.frame else { return nil }
        let rate = (end.second - begin.second) / Double(end.frame - begin.frame)
        return SharedPassages.Passage(
            range: begin.frame * Self.hop..<end.frame * Self.hop,
            secondStart: Int(bounded: (begin.second * Double(Self.hop)).rounded()), timeSkew: rate - 1,
            agreement: median, correlation: median, score: hit.score)
    }

    /// The anchors that follow one, every quarter of a second, in order of time from there.
    private func followed(from start: Anchor, _ slope: Double, by step: Int) -> [Anchor] {
        var anchors: [Anchor] = []
        var last = start
        var frame = start.frame + step
        while abs(frame - last.frame) <= Self.longestGap, (0..<firstCount).contains(frame) {
            let expected = last.second + Double(frame - last.frame) * slope
            if let found = anchor(at: frame, near: expected, slope, reach: Self.reach),
                found.agreement >= Self.leastOfBlock
            {
                anchors.append(found)
                last = found
            }
            frame += step
        }
        return anchors
    }

    /// The place near an expected one where half a second agrees best; nil beyond the ends of a recording.
    private func anchor(at frame: Int, near expected: Double, _ slope: Double, reach: Int) -> Anchor? {
        var best: Anchor?
        for lag in -reach...reach {
            let second = expected + Double(lag)
            guard let found = agreement(at: frame, second, slope, frames: Self.block) else { continue }
            if found > best?.agreement ?? -2 { best = Anchor(frame: frame, second: second, agreement: found) }
        }
        return best
    }

    /// Where the recordings cease to agree before or after anchors, which are in the order of the way there.
    private func edge(of anchors: [Anchor], _ slope: Double, _ median: Double, by step: Int) -> Anchor {
        let last = step > 0 ? anchors[anchors.count - 1] : anchors[0]
        func line(_ frame: Int) -> Double { last.second + Double(frame - last.frame) * slope }
        var (sum, most, place) = (0.0, 0.0, last.frame - step * Self.block)
        for distance in -Self.block...Self.longestGap {
            let frame = last.frame + step * distance
            guard let found = agreement(at: frame, line(frame), slope, frames: Self.edgeBlock) else {
                continue
            }
            sum += found - median / 2
            if sum > most { (most, place) = (sum, frame) }
        }
        // An end of either recording that is near.
        let ends =
            step > 0
            ? [firstCount - 1, last.frame + Int(bounded: (Double(secondCount - 1) - last.second) / slope)]
            : [0, last.frame - Int(bounded: last.second / slope)]
        let nearest = step > 0 ? ends[0...].min() : ends.max()
        if let nearest, abs(nearest - place) <= Self.endFrames { place = nearest }
        return Anchor(frame: place, second: line(place), agreement: last.agreement)
    }

    /// The correlation of the levels around a frame of the first with those around a place in the second, −1…1; nil
    /// beyond the ends of a recording.
    private func agreement(at frame: Int, _ second: Double, _ slope: Double, frames: Int) -> Double? {
        let bands = Self.bandCount
        let (begin, half) = (frame - frames / 2, Double(frames / 2) * slope)
        guard begin >= 0, begin + frames <= firstCount, second - half >= 0,
            second + half + 1 < Double(secondCount)
        else { return nil }
        var (product, powerA, powerB): (Float, Float, Float) = (0, 0, 0)
        first.withUnsafeBufferPointer { first in
            self.second.withUnsafeBufferPointer { second_ in
                for number in 0..<frames {
                    let place = second + (Double(begin + number - frame)) * slope
                    let row = Int(place)
                    let share = Float(place - Double(row))
                    let (a, b) = (
                        first.baseAddress! + (begin + number) * bands, second_.baseAddress! + row * bands
                    )
                    for band in 0..<bands {
                        let x = a[band]
                        let y = b[band] + share * (b[band + bands] - b[band])
                        product += x * y
                        powerA += x * x
                        powerB += y * y
                    }
                }
            }
        }
        let power = (powerA * powerB).squareRoot()
        return power > 0 ? Double(product / power) : 0
    }

    /// The levels of all bands, frame after frame, each less its mean around.
    private static func levels(_ audio: CompactAudio, scale: Double) -> (levels: [Float], count: Int) {
        let count = audio.count / hop + 1
        let samples = audio.samples(in: -window / 2..<(count * hop + window / 2))
        let fft = RealFFT(size: window)
        let shape = (0..<window).map { Float(0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / Double(window))) }
        let edges = (0...bandCount).map { band in
            bandHertz.lowerBound * scale * exp2(Double(band) / bandsPerOctave)
                * Double(window) / Double(EquivalenceAudit.sampleRate)
        }
        var levels = [Float](repeating: 0, count: count * bandCount)
        var block = [Float](repeating: 0, count: window)
        var power = [Float](repeating: 0, count: fft.binCount)
        var sums = [Float](repeating: 0, count: fft.binCount + 1)
        for frame in 0..<count {
            for number in 0..<window { block[number] = samples[frame * hop + number] * shape[number] }
            fft.power(&block, into: &power)
            for bin in power.indices { sums[bin + 1] = sums[bin] + power[bin] }
            // Up to an edge in bins, which is where a bin's middle is.
            func sum(_ edge: Double) -> Float {
                let place = min(max(0, edge + 0.5), Double(fft.binCount))
                let bin = min(Int(place), fft.binCount - 1)
                return sums[bin] + Float(place - Double(bin)) * power[bin]
            }
            for band in 0..<bandCount {
                levels[frame * bandCount + band] = log2(
                    max(0, sum(edges[band + 1]) - sum(edges[band])) + 1e-6)
            }
        }
        subtractMeans(&levels, count)
        return (levels, count)
    }

    /// Leaves of each level what exceeds the bands around it, and of this what exceeds the whole recording's.
    ///
    /// A mean over a shorter time would be of both sides of an edge.
    private static func subtractMeans(_ levels: inout [Float], _ count: Int) {
        var means = [Float](repeating: 0, count: bandCount)
        var sums = [Float](repeating: 0, count: bandCount + 1)
        for frame in 0..<count {
            let row = frame * bandCount
            for band in 0..<bandCount { sums[band + 1] = sums[band] + levels[row + band] }
            for band in 0..<bandCount {
                let (from, to) = (max(0, band - context), min(bandCount, band + context + 1))
                levels[row + band] -= (sums[to] - sums[from]) / Float(to - from)
                means[band] += levels[row + band] / Float(count)
            }
        }
        for place in levels.indices { levels[place] -= means[place % bandCount] }
    }
}
