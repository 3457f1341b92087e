import AudioCore
import Glibc

/// A speed beyond the searched skews, at which a query without a match is heard in a reference.
///
/// Audio with a wrong sample rate in its header has one.
public struct OtherSpeed: Hashable, Sendable {
    /// The identifier of the reference.
    public let referenceID: String
    /// The index of the reference in the catalog.
    public let referenceIndex: Int
    /// The frequencies of the query over those of the reference: 0.93 for audio that is 7 % too slow.
    public let speed: Double

    package init(referenceID: String, referenceIndex: Int, speed: Double) {
        self.referenceID = referenceID
        self.referenceIndex = referenceIndex
        self.speed = speed
    }

    /// The rates at which audio is usually recorded, in hertz.
    private static let usualRates = [
        8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000,
    ]

    /// The usual sample rate that audio with `rate` in its header has, if that rate is the reason; nil if none fits.
    public func likelyRate(labelled rate: Int) -> Int? {
        let trueRate = Double(rate) / speed
        return Self.usualRates.first { abs(trueRate / Double($0) - 1) < 0.005 }
    }

    /// The speed and the rate, as a sentence without its subject.
    public func description(labelled rate: Int?) -> String {
        let percent = (speed * 1000).rounded() / 10
        let sound =
            "sounds like the reference \"\(referenceID)\" at \(percent) % of its speed, which is beyond the skews that match"
        guard let rate, let likely = likelyRate(labelled: rate) else { return sound }
        return sound + "; the sample rate of \(rate) Hz may be wrong, \(likely) Hz would fit"
    }
}

extension Catalog {
    /// Looks a query without a match up at other speeds, from half to twice its own; nil if none has a match.
    ///
    /// Takes as long as 14 queries without a match.
    ///
    /// - Throws: The errors of ``match(_:most:)``.
    package func otherSpeed(of query: Query) throws -> OtherSpeed? {
        let signature = query.signature
        let least = threshold + settings.decision.margin(queries: Double(2 * OtherSpeedSearch.steps))
        for step in 1...OtherSpeedSearch.steps {
            for ratio in [
                pow(OtherSpeedSearch.stride, Double(step)), pow(OtherSpeedSearch.stride, Double(-step)),
            ] {
                let played = Query(OtherSpeedSearch.play(signature, by: ratio))
                guard let best = try match(played).first, best.score >= least else { continue }
                return OtherSpeed(
                    referenceID: best.referenceID, referenceIndex: best.referenceIndex,
                    speed: (1 + best.freeFrequencySkew) / ratio)
            }
        }
        return nil
    }
}

private enum OtherSpeedSearch {
    /// The ratio of neighbouring speeds: each query finds up to 6 % on either side.
    static let stride = 1.11
    static let steps = 7

    /// The signature of audio that is played faster, with higher frequencies in a shorter time.
    static func play(_ signature: Signature, by ratio: Double) -> Signature {
        let peaks: [Peak] = signature.peaks.compactMap { peak in
            guard let frequency = UInt16(exactly: (Double(peak.frequency) * ratio).rounded()),
                let time = UInt32(exactly: (Double(peak.time) / ratio).rounded())
            else { return nil }
            var played = peak
            (played.time, played.frequency) = (time, frequency)
            return played
        }
        return Signature(
            peaks: peaks.sorted(by: Peak.precedes),
            frameCount: Int(bounded: (Double(signature.frameCount) / ratio).rounded()),
            sampleRate: signature.sampleRate, keptRanks: signature.keptRanks,
            channelsCancel: signature.channelsCancel, hasHeights: signature.hasHeights,
            analysisIdentity: signature.analysisIdentity)
    }
}
