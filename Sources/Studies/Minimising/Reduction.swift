import AudioCore
import Degradations
import Foundation
import SystemIO

package enum Reduction: Hashable, Sendable {
    case removal(step: Int)
    case severity(step: Int, Parameter)
    case lengthening

    package static let lengthStepSeconds = 0.5

    static func all(of cut: DegradedQuery) -> [Reduction] {
        let steps = cut.chain.steps.enumerated()
        return steps.map { .removal(step: $0.offset) }
            + steps.flatMap { number, step in
                type(of: step.value).parameters.filter { ![nil, .never].contains($0.milder) }.map {
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
        case .severity(let step, let parameter):
            return try Self.ladder(from: cut, step: step, parameter)
        case .lengthening:
            let count = Int(bounded: (longestSeconds - cut.lengthSeconds) / Self.lengthStepSeconds)
            return (0...max(0, count)).map { number in
                var easier = cut
                easier.lengthSeconds += Double(number) * Self.lengthStepSeconds
                return easier
            }
        }
    }

    private static func ladder(
        from cut: DegradedQuery, step: Int, _ parameter: Parameter
    ) throws -> [DegradedQuery] {
        let old = cut.chain.steps[step]
        var isWhole = false
        if case .integer = parameter.kind { isWhole = true }
        var severities = try old.value.severities
        guard let start = severities[parameter.name]?.asNumber,
            let values = parameter.milder?.values(from: start, isWhole: isWhole)
        else { return [cut] }
        return try [cut]
            + values.dropFirst().map { value in
                severities[parameter.name] = isWhole ? .integer(Int(value)) : .number(value)
                var easier = cut
                easier.chain.steps[step] = try AnyDegradation(name: old.name, severities)
                return easier
            }
    }

    /// The difference between two neighbours of `ladder`, in words.
    func words(from cut: DegradedQuery, to easier: DegradedQuery) -> String {
        switch self {
        case .removal(let step): return "without \(cut.chain.steps[step].name)"
        case .lengthening:
            return "\(formatNumber(cut.lengthSeconds)) s → \(formatNumber(easier.lengthSeconds)) s long"
        case .severity(let step, let parameter):
            let ends = [cut, easier].map { cut in
                (try? cut.chain.steps[step].value.severities)?[parameter.name]?.asNumber
                    .map { formatNumber(($0 * 1e6).rounded() / 1e6) } ?? ""
            }
            let unit = parameter.unit.isEmpty ? "" : " \(parameter.unit)"
            return "\(cut.chain.steps[step].name) \(parameter.name) \(ends[0]) → \(ends[1])\(unit)"
        }
    }
}

extension AnyDegradation {
    fileprivate init(name: String, _ parameters: [String: PlainValue]) throws {
        self = try JSONDecoder().decode(Self.self, from: JSONEncoder().encode([name: parameters]))
    }
}

extension Milder {
    /// The values from `start` to the mildest, step by step; `start` alone if no milder one exists.
    ///
    /// - Parameter isWhole: Whether only whole numbers are valid.
    package func values(from start: Double, isWhole: Bool = false) -> [Double] {
        let (mildest, step): (Double, Step)
        switch self {
        case .never: return [start]
        case .up(let end, _) where start >= end: return [start]
        case .down(let end, _) where start <= end: return [start]
        case .up(let end, let by), .down(let end, let by), .either(let end, let by):
            (mildest, step) = (end, by)
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
