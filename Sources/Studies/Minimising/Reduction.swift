import Degradations
import Foundation
import SystemIO

package enum Reduction: Hashable, Sendable {
    case removal(step: Int)
    case severity(step: Int, SeverityReduction)
    case lengthening

    package static let lengthStepSeconds = 0.5

    static func all(of cut: DegradedQuery) -> [Reduction] {
        let steps = cut.chain.steps.enumerated()
        return steps.map { .removal(step: $0.offset) }
            + steps.flatMap { number, step in
                SeverityReduction.all.filter { $0.degradation == step.name }.map {
                    .severity(step: number, $0)
                }
            } + [.lengthening]
    }

    /// `cut` and easier queries, each one step easier than the one before.
    ///
    /// - Parameter longestSeconds: No query gets longer.
    func ladder(from cut: DegradedQuery, longestSeconds: Double) throws -> [DegradedQuery] {
        switch self {
        case .removal(let step):
            var easier = cut
            easier.chain.steps.remove(at: step)
            return [cut, easier]
        case .severity(let step, let severity):
            return try Self.ladder(from: cut, step: step, severity)
        case .lengthening:
            let count = Int((longestSeconds - cut.lengthSeconds) / Self.lengthStepSeconds)
            return (0...max(0, count)).map { number in
                var easier = cut
                easier.lengthSeconds += Double(number) * Self.lengthStepSeconds
                return easier
            }
        }
    }

    private static func ladder(from cut: DegradedQuery, step: Int, _ severity: SeverityReduction) throws
        -> [DegradedQuery]
    {
        let old = cut.chain.steps[step]
        let kind = type(of: old.value).parameters.first { $0.name == severity.parameter }?.kind
        var isWhole = false
        if case .integer? = kind { isWhole = true }
        let parameters = try Parameters(of: old)
        guard let start = parameters.values[severity.parameter]?.asNumber else { return [cut] }
        let values = severity.values(from: start, isWhole: isWhole)
        return try [cut]
            + values.dropFirst().map { value in
                var easier = cut
                easier.chain.steps[step] = try parameters.setting(
                    severity.parameter, to: isWhole ? .integer(Int(value)) : .number(value))
                return easier
            }
    }

    /// The difference between two neighbours of `ladder`, in words.
    func words(from cut: DegradedQuery, to easier: DegradedQuery) -> String {
        switch self {
        case .removal(let step): return "without \(cut.chain.steps[step].name)"
        case .lengthening:
            return "\(formatNumber(cut.lengthSeconds)) s → \(formatNumber(easier.lengthSeconds)) s long"
        case .severity(let step, let severity):
            let ends = [cut, easier].map { cut in
                (try? Parameters(of: cut.chain.steps[step]))?.values[severity.parameter]?.asNumber
                    .map { formatNumber(($0 * 1e6).rounded() / 1e6) } ?? ""
            }
            let unit = severity.unit.isEmpty ? "" : " \(severity.unit)"
            return "\(severity.degradation) \(severity.parameter) \(ends[0]) → \(ends[1])\(unit)"
        }
    }
}

private struct Parameters {
    let name: String
    private(set) var values: [String: PlainValue]

    init(of step: AnyDegradation) throws {
        name = step.name
        let data = try JSONEncoder().encode(step)
        values = try JSONDecoder().decode([String: [String: PlainValue]].self, from: data)[name] ?? [:]
        // A speed is an exact fraction, but its reduction is in percent.
        if let speed = step.value as? Speed {
            values = ["percent": .number((speed.skew * 1e8).rounded() / 1e6)]
        }
    }

    func setting(_ parameter: String, to value: PlainValue) throws -> AnyDegradation {
        var changed = values
        changed[parameter] = value
        return try JSONDecoder().decode(AnyDegradation.self, from: JSONEncoder().encode([name: changed]))
    }
}

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
    let direction: Direction
    let mildest: Double
    let step: Step
    let unit: String

    package static let all = reductions.map(Self.init)

    private static let reductions: [(String, String, Direction, Double, Step, String)] = [
        ("noise", "snrDecibels", .up, 60, .difference(0.5), "dB"),
        ("babble", "snrDecibels", .up, 60, .difference(0.5), "dB"),
        ("crowd", "snrDecibels", .up, 60, .difference(0.5), "dB"),
        ("crowd", "rt60Seconds", .down, 0.05, .ratio(1.1), "s"),
        ("ambience", "snrDecibels", .up, 60, .difference(0.5), "dB"),
        ("music", "snrDecibels", .up, 60, .difference(0.5), "dB"),
        ("speed", "percent", .either, 0, .difference(0.1), "%"),
        ("pitch", "percent", .either, 0, .difference(0.1), "%"),
        ("tempo", "percent", .either, 0, .difference(0.1), "%"),
        ("drift", "fromPercent", .either, 0, .difference(0.1), "%"),
        ("drift", "toPercent", .either, 0, .difference(0.1), "%"),
        ("wow", "depthPercent", .down, 0, .difference(0.05), "%"),
        ("resample", "sampleRateHertz", .up, 44_100, .ratio(1.05), "Hz"),
        ("silence", "leadingSeconds", .down, 0, .difference(0.1), "s"),
        ("silence", "trailingSeconds", .down, 0, .difference(0.1), "s"),
        ("truncate", "keepSeconds", .up, 60, .ratio(1.1), "s"),
        ("gain", "decibels", .either, 0, .difference(1), "dB"),
        ("clipping", "overdriveDecibels", .down, 0, .difference(0.5), "dB"),
        ("band", "lowHertz", .down, 20, .ratio(1.05), "Hz"),
        ("band", "highHertz", .up, 20_000, .ratio(1.05), "Hz"),
        ("shelf", "gainDecibels", .either, 0, .difference(1), "dB"),
        ("room", "rt60Seconds", .down, 0.05, .ratio(1.1), "s"),
        ("room", "directToReverberantDecibels", .up, 60, .difference(1), "dB"),
        ("echo", "gainDecibels", .down, -60, .difference(1), "dB"),
        ("echo", "repeats", .down, 1, .difference(1), ""),
        ("compression", "thresholdDecibels", .up, 0, .difference(1), "dB"),
        ("compression", "ratio", .down, 1, .difference(0.5), "to 1"),
        ("automaticGain", "attackSeconds", .up, 60, .ratio(1.5), "s"),
        ("automaticGain", "releaseSeconds", .up, 60, .ratio(1.5), "s"),
        ("startUp", "silentSeconds", .down, 0, .difference(0.01), "s"),
        ("startUp", "fadeSeconds", .down, 0, .difference(0.01), "s"),
        ("startUp", "thumpDecibels", .down, -60, .difference(1), "dB"),
        ("dropout", "ratePerSecond", .down, 0.001, .ratio(1.1), "per second"),
        ("dropout", "durationSeconds", .down, 0.0001, .ratio(1.1), "s"),
        ("dcOffset", "amount", .either, 0, .difference(0.01), "of full scale"),
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
