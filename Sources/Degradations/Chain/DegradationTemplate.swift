import AudioCore
import Foundation

/// A degradation in a plan, whose parameters may be missing or ranges to draw from.
///
/// A range `{from: a, to: b}` draws a uniform random number, or integer for an integer parameter. A missing `seed` is
/// drawn too.
package struct DegradationTemplate: Codable, Sendable, Hashable {
    package let name: String
    package let parameters: PlainValue

    /// Checks the names, types and ranges of the parameters, which are a mapping or `.null`.
    ///
    /// - Throws: ``DegradationError`` with code `invalidParameter` that says what is allowed.
    package init(name: String, parameters: PlainValue) throws {
        self.name = name
        self.parameters = parameters
        let kind = try AnyDegradation.kind(named: name)
        let known = kind.parameters
        for key in try written.keys.sorted() where !known.contains(where: { $0.name == key }) {
            let allowed =
                known.isEmpty ? "it has none" : "allowed are \(known.map(\.name).joined(separator: ", "))"
            throw DegradationError.invalid("\(name): unknown parameter \"\(key)\"; \(allowed)")
        }
        _ = try resolved { 0 }
        _ = try resolved { 1 }
    }

    /// Draws the parameters that the plan does not fix.
    package func draw(using generator: inout SeededGenerator) throws -> AnyDegradation {
        try resolved { generator.unit() }
    }

    /// The recordings that it mixes in; nil if it needs no ``Material``.
    package var materialKind: MaterialKind? { try? resolved { 0 }.value.materialKind }

    private var written: [String: PlainValue] {
        get throws {
            switch parameters {
            case .object(let values): return values
            case .null: return [:]
            default:
                throw DegradationError.invalid(
                    "\(name): found \(parameters); expected a mapping of parameters")
            }
        }
    }

    /// Makes the degradation; `unit` returns the place in each range, 0…1, in the order of the parameters.
    private func resolved(unit: () -> Double) throws -> AnyDegradation {
        let kind = try AnyDegradation.kind(named: name)
        let written = try written
        var values: [String: PlainValue] = [:]
        for parameter in kind.parameters {
            var value: PlainValue
            switch (written[parameter.name], parameter.absence, parameter.kind) {
            case (let given?, _, _): value = given
            case (nil, .value(let usual), _): value = usual
            case (nil, .optional, _): continue
            case (nil, .required, .seed): value = .integer(pick(0..<Parameter.seedBound, unit()))
            case (nil, .required, _):
                throw DegradationError.invalid(
                    "\(name): \(parameter.name) is missing; expected \(parameter.expectation)")
            }
            if parameter.isDrawable, case .object(let range) = value {
                let (low, high) = try ends(of: range, for: parameter)
                if let first = low.asInteger, let last = high.asInteger, case .integer = parameter.kind {
                    value = .integer(pick(first..<(last + 1), unit()))
                } else if let first = low.asNumber, let last = high.asNumber {
                    value = .number(first + (last - first) * unit())
                }
            }
            try parameter.check(value, of: name)
            values[parameter.name] = value
        }
        return AnyDegradation(try build(kind, from: values))
    }

    private func pick(_ range: Range<Int>, _ place: Double) -> Int {
        min(range.lowerBound + Int(bounded: place * Double(range.count)), range.upperBound - 1)
    }

    private func ends(
        of range: [String: PlainValue], for parameter: Parameter
    ) throws -> (PlainValue, PlainValue) {
        guard range.count == 2, let low = range["from"], let high = range["to"] else {
            throw DegradationError.invalid(
                "\(name): \(parameter.name) is a \(PlainValue.object(range)); "
                    + "expected \(parameter.expectation), or {from: a, to: b} to draw from")
        }
        try parameter.check(low, of: name)
        try parameter.check(high, of: name)
        guard let first = low.asNumber, let last = high.asNumber, first <= last else {
            throw DegradationError.invalid("\(name): \(parameter.name) runs from \(low) down to \(high)")
        }
        return (low, high)
    }

    private func build<Kind: Degradation>(
        _ kind: Kind.Type, from values: [String: PlainValue]
    ) throws -> any Degradation {
        let degradation: Kind
        do {
            degradation = try JSONDecoder().decode(kind, from: JSONEncoder().encode(values))
        } catch DecodingError.dataCorrupted(let context) {
            throw DegradationError.invalid("\(name): \(context.debugDescription)")
        }
        try degradation.validate()
        return degradation
    }
}
