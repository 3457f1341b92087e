import AudioCore
import Fingerprinting
import Foundation

/// References made from the peaks of real ones: a catalog of any size with real statistics.
///
/// This is a block bootstrap. A reference consists of blocks of 4 to 12 s. Each is a copy of a random stretch of the
/// real recordings, transposed and stretched as a whole. So chords, held notes and rhythms stay.
///
/// Frequencies move by 3 to 6 semitones up or down, so tuning stays on its grid. A search covers skews of 6 %, and no
/// block is within that of a query that is itself skewed by 6 %. Peaks that leave the band at one end enter at the
/// other, so density stays. Times are stretched by 12 to 30 % either way, which is also outside a search.
///
/// Reference `n` of a seed is always the same, independent of the number and order of references.
package struct SyntheticReferences: Sendable {
    package static let seconds = 240.0
    static let shortestSourceSeconds = 20.0
    /// Units of a peak's time to the second.
    private static let unitsPerSecond = 64 / 0.032
    private static let semitones = [-6, -5, -4, -3, 3, 4, 5, 6]

    private let sources: [Signature]
    /// The end of each source on a common time line, in seconds.
    private let ends: [Double]
    private let seed: UInt64
    private let settings: Settings
    /// The new value of every stored frequency, for each transposition.
    private let transposed: [[UInt16]]

    package init(sources: [Signature], seed: UInt64, settings: Settings) {
        let sources = sources.filter { $0.durationSeconds >= Self.shortestSourceSeconds }
        self.sources = sources
        var end = 0.0
        ends = sources.map {
            end += $0.durationSeconds
            return end
        }
        self.seed = seed
        self.settings = settings
        let unit = Signature.frequencyUnit
        let bands = settings.analysis.bandsHertz.map { band in
            (lowest: log2(band.lowerBound), width: log2(band.upperBound / band.lowerBound))
        }
        // Peaks stay in their band, so that each band keeps its density.
        transposed = Self.semitones.map { semitones in
            (0...65_535).map { frequency in
                let octaves = log2(Double(max(1, frequency)) * unit)
                let band = bands.last { octaves >= $0.lowest } ?? bands[0]
                let moved = (octaves + Double(semitones) / 12 - band.lowest) / band.width
                return UInt16(bounded: exp2(band.lowest + (moved - moved.rounded(.down)) * band.width) / unit)
            }
        }
    }

    package func reference(_ number: Int) -> Reference {
        var generator = SeededGenerator(seed: seed, "synthetic reference \(number)")
        var peaks: [Peak] = []
        var start = 0.0
        while start < Self.seconds {
            let length = min(generator.uniform(in: 4...12), Self.seconds - start)
            appendBlock(at: start, seconds: length, to: &peaks, &generator)
            start += length
        }
        return Reference(
            id: "synthetic \(number)",
            signature: Signature(
                peaks: peaks, frameCount: Int(bounded: Self.seconds) * 8000, sampleRate: 8000,
                keptRanks: settings.analysis.referenceRank, channelsCancel: false,
                analysisIdentity: settings.analysis.identity))
    }

    private func appendBlock(
        at start: Double, seconds: Double, to peaks: inout [Peak], _ generator: inout SeededGenerator
    ) {
        let place = generator.uniform(in: 0...(ends.last ?? 0))
        let source = sources[min(ends.firstIndex { $0 >= place } ?? 0, sources.count - 1)]
        let factor = generator.uniform(in: 1.12...1.3)
        // Slower a little more often than faster, so that the rate of peaks stays that of the sources.
        let stretch = generator.unit() < factor / (1 + factor) ? factor : 1 / factor
        let frequencies = transposed[generator.index(below: transposed.count)]
        let sourceSeconds = seconds / stretch
        let from = generator.uniform(in: 0...(source.durationSeconds - sourceSeconds))
        let first = UInt32(from * Self.unitsPerSecond)
        let end = UInt32(bounded: (from + sourceSeconds) * Self.unitsPerSecond)
        let block = peaks.count
        source.peaks.withUnsafeBufferPointer { all in
            for var peak in all[all.partitioningIndex { $0.time >= first }...] {
                guard peak.time < end else { break }
                guard Int(peak.rank) < settings.analysis.referenceRank else { continue }
                peak.time = UInt32(
                    bounded: start * Self.unitsPerSecond + Double(peak.time - first) * stretch)
                peak.frequency = frequencies[Int(peak.frequency)]
                peaks.append(peak)
            }
        }
        // Peaks of one moment change places where the band wraps round.
        for place in peaks.indices.dropFirst(block + 1) {
            var other = place
            while other > block, peaks[other].time == peaks[other - 1].time,
                peaks[other].frequency < peaks[other - 1].frequency
            {
                peaks.swapAt(other, other - 1)
                other -= 1
            }
        }
    }
}
