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
