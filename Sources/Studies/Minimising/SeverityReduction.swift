import Degradations
import Foundation

/// How one parameter of a degradation gets milder: towards which value, and in which steps.
///
/// Parameters without an entry in ``all`` are not reduced: they tell the kind of a degradation, not its strength.
package struct SeverityReduction: Hashable, Sendable {
    package enum Direction: Hashable, Sendable {
        /// Only upwards: a value above the mildest stays.
        case up
        /// Only downwards: a value below the mildest stays.
        case down
        case either
    }

    package enum Step: Hashable, Sendable {
        case difference(Double)
        /// By a ratio above 1.
        case ratio(Double)
    }

    package let degradation: String
    package let parameter: String
    package let unit: String
    package let mildest: Double
    package let direction: Direction
    package let step: Step

    private init(
        _ degradation: String, _ parameter: String, _ direction: Direction, _ mildest: Double, _ step: Step,
        _ unit: String
    ) {
        self.degradation = degradation
        self.parameter = parameter
        self.unit = unit
        self.mildest = mildest
        self.direction = direction
        self.step = step
    }

    package static let all: [SeverityReduction] = [
        SeverityReduction("noise", "snrDecibels", .up, 60, .difference(0.5), "dB"),
        SeverityReduction("babble", "snrDecibels", .up, 60, .difference(0.5), "dB"),
        SeverityReduction("ambience", "snrDecibels", .up, 60, .difference(0.5), "dB"),
        SeverityReduction("music", "snrDecibels", .up, 60, .difference(0.5), "dB"),
        SeverityReduction("speed", "percent", .either, 0, .difference(0.1), "%"),
        SeverityReduction("pitch", "percent", .either, 0, .difference(0.1), "%"),
        SeverityReduction("tempo", "percent", .either, 0, .difference(0.1), "%"),
        SeverityReduction("drift", "fromPercent", .either, 0, .difference(0.1), "%"),
        SeverityReduction("drift", "toPercent", .either, 0, .difference(0.1), "%"),
        SeverityReduction("wow", "depthPercent", .down, 0, .difference(0.05), "%"),
        SeverityReduction("resample", "sampleRateHertz", .up, 44_100, .ratio(1.05), "Hz"),
        SeverityReduction("silence", "leadingSeconds", .down, 0, .difference(0.1), "s"),
        SeverityReduction("silence", "trailingSeconds", .down, 0, .difference(0.1), "s"),
        SeverityReduction("truncate", "keepSeconds", .up, 60, .ratio(1.1), "s"),
        SeverityReduction("gain", "decibels", .either, 0, .difference(1), "dB"),
        SeverityReduction("clipping", "overdriveDecibels", .down, 0, .difference(0.5), "dB"),
        SeverityReduction("band", "lowHertz", .down, 20, .ratio(1.05), "Hz"),
        SeverityReduction("band", "highHertz", .up, 20_000, .ratio(1.05), "Hz"),
        SeverityReduction("shelf", "gainDecibels", .either, 0, .difference(1), "dB"),
        SeverityReduction("room", "rt60Seconds", .down, 0.05, .ratio(1.1), "s"),
        SeverityReduction("room", "directToReverberantDecibels", .up, 60, .difference(1), "dB"),
        SeverityReduction("echo", "gainDecibels", .down, -60, .difference(1), "dB"),
        SeverityReduction("echo", "repeats", .down, 1, .difference(1), ""),
        SeverityReduction("compression", "thresholdDecibels", .up, 0, .difference(1), "dB"),
        SeverityReduction("compression", "ratio", .down, 1, .difference(0.5), "to 1"),
        SeverityReduction("dropout", "ratePerSecond", .down, 0.001, .ratio(1.1), "per second"),
        SeverityReduction("dropout", "durationSeconds", .down, 0.0001, .ratio(1.1), "s"),
        SeverityReduction("dcOffset", "amount", .either, 0, .difference(0.01), "of full scale"),
    ]

    /// The values from `start` to the mildest, step by step; `start` alone if no milder one exists.
    ///
    /// - Parameter isWhole: Whether only whole numbers are valid.
    func values(from start: Double, isWhole: Bool = false) -> [Double] {
        switch direction {
        case .up where start >= mildest, .down where start <= mildest: return [start]
        default: break
        }
        var values = [start]
        var number = 0
        while let last = values.last, last != mildest, values.count < SeverityLadder.mostRungs {
            number += 1
            var next: Double
            switch step {
            case .difference(let step): next = start + (start < mildest ? step : -step) * Double(number)
            case .ratio(let ratio): next = start * pow(ratio, Double(start < mildest ? number : -number))
            }
            next = isWhole ? next.rounded() : (next * 1e6).rounded() / 1e6
            // The last step covers the remaining distance.
            if (next - mildest) * (start - mildest) <= 0 || next == last && !isWhole { next = mildest }
            if next != last { values.append(next) }
        }
        return values
    }
}
