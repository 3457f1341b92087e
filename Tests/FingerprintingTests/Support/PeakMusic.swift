import AudioCore
import Fingerprinting
import Foundation

/// Signatures and queries of random peaks: what the index and the look-up see of music, made without audio.
enum PeakMusic {
    /// Units of a stored time to the second.
    static let unitsPerSecond = 2000.0
    /// Units of a stored frequency to the bin of 3.90625 Hz.
    static let steps = 32

    /// How a query differs from the passage that it is cut from.
    struct Change {
        var timeRatio = 1.0
        var frequencyRatio = 1.0
        /// The share of the reference's peaks that the query keeps.
        var kept = 1.0
        /// Random peaks a second that the reference does not have.
        var extraPerSecond = 0.0
        /// The standard deviation of errors in time and frequency, in stored units.
        var jitter = 0.0
        var seed: UInt64 = 1
    }

    /// A reference of peaks that are even in time and in pitch.
    static func signature(
        seed: UInt64, seconds: Double, perSecond: Double = 20, settings: Settings = Settings()
    ) -> Signature {
        var generator = SeededGenerator(seed: seed, "peak music")
        let peaks = (0..<Int(seconds * perSecond)).map { _ in
            peak(
                time: generator.uniform(in: 0...(seconds * unitsPerSecond - 1)),
                rank: generator.index(below: 3),
                height: 0, settings, &generator)
        }
        return Signature(
            peaks: ordered(peaks), frameCount: Int(seconds * 8000), sampleRate: 8000,
            keptRanks: settings.analysis.referenceRank, channelsCancel: false,
            analysisIdentity: settings.analysis.identity)
    }

    /// References of `seconds` each, called by their numbers.
    static func references(_ count: Int, seconds: Double, perSecond: Double = 20) -> [Reference] {
        (0..<count).map {
            Reference(
                id: "\($0)", signature: signature(seed: UInt64($0), seconds: seconds, perSecond: perSecond))
        }
    }

    /// What a query holds, and which of its peaks belongs to which of the reference.
    struct Cut {
        let signature: Signature
        /// Pairs of peaks, the query's and the reference's, as they were before errors were rounded.
        let pairs: [(query: Peak, reference: Peak)]
        var query: Query { Query(signature) }
    }

    /// A query of a reference's peaks from `start` on.
    static func cut(
        _ reference: Signature, from start: Double, seconds: Double, _ change: Change = Change()
    ) -> Cut {
        var generator = SeededGenerator(seed: change.seed, "cut \(start) \(seconds)")
        let end = seconds * unitsPerSecond
        var pairs: [(query: Peak, reference: Peak)] = []
        for peak in reference.peaks {
            let keeps = generator.unit() < change.kept
            let errors = (normal(&generator) * change.jitter, normal(&generator) * change.jitter)
            let time = (Double(peak.time) - start * unitsPerSecond) / change.timeRatio + errors.0
            let frequency = Double(peak.frequency) * change.frequencyRatio + errors.1
            guard keeps, time >= 0, time < end, (1...60_000).contains(frequency) else { continue }
            let heard = Peak(
                time: UInt32(time.rounded()), frequency: UInt16(frequency.rounded()), rank: peak.rank,
                height: 90)
            pairs.append((heard, peak))
        }
        let settings = Settings()
        let extra = (0..<Int(seconds * change.extraPerSecond)).map { _ in
            peak(
                time: generator.uniform(in: 0...(end - 1)), rank: generator.index(below: 10),
                height: UInt8(20 + generator.index(below: 60)), settings, &generator)
        }
        let signature = Signature(
            peaks: ordered(pairs.map(\.query) + extra), frameCount: Int(seconds * 8000), sampleRate: 8000,
            keptRanks: 16, channelsCancel: false, hasHeights: true,
            analysisIdentity: reference.analysisIdentity)
        return Cut(signature: signature, pairs: pairs)
    }

    private static func peak(
        time: Double, rank: Int, height: UInt8, _ settings: Settings, _ generator: inout SeededGenerator
    ) -> Peak {
        let band = log2(settings.analysis.lowestHertz * 1.02)...log2(settings.analysis.highestHertz * 0.98)
        let hertz = exp2(generator.uniform(in: band))
        return Peak(
            time: UInt32(time), frequency: UInt16(hertz / settings.analysis.binHertz * Double(steps)),
            rank: UInt8(rank), height: height)
    }

    /// In the order of signatures, no two at one place.
    static func ordered(_ peaks: [Peak]) -> [Peak] {
        var seen: Set<UInt64> = []
        return peaks.filter { seen.insert(UInt64($0.time) << 16 | UInt64($0.frequency)).inserted }
            .sorted { ($0.time, $0.frequency) < ($1.time, $1.frequency) }
    }

    /// A number of the normal distribution of variance 1.
    static func normal(_ generator: inout SeededGenerator) -> Double {
        (-2 * log(1 - generator.unit())).squareRoot() * cos(2 * .pi * generator.unit())
    }
}
