import Corpora
import Degradations
import SystemIO

extension PlanFile {
    /// Reads the cells of one family, in each form that a plan may have.
    package struct FamilyReader {
        let name: String
        let unit: String
        let lengthSeconds: Double
        let rung: Rung?
        let chain: [YAMLValue]
        let mapping: YAMLMapping

        func single() throws -> Member {
            try member(severity: "", value: nil, lengthSeconds: lengthSeconds, chain: chain, variables: [:])
        }

        /// A cell for each value of `$severity`: a list, or all numbers from one to another by a step.
        func severities() throws -> [Member] {
            let isRange = mapping["severities"]?.isMapping ?? false
            let values = try isRange ? steps() : mapping.list("severities")
            let isSigned = values.contains { ($0.number ?? 0) < 0 }
            return try values.map { value in
                try member(
                    severity: label(value, isSigned: isSigned), value: value.number,
                    lengthSeconds: lengthSeconds,
                    chain: chain, variables: ["severity": value.plainValue])
            }
        }

        /// The numbers of `{from: -6, to: 6, step: 0.1}`, exact to six decimals.
        private func steps() throws -> [YAMLValue] {
            let value = try mapping.required("severities")
            let range = try value.mapping()
            let parts = try ["from", "to", "step"].map { (try range.double($0) * 1e6).rounded() }
            try range.rejectUnknownKeys()
            let most = 10_000.0
            guard parts.allSatisfy({ abs($0) < 1e15 }), parts[2] > 0, parts[1] >= parts[0],
                (parts[1] - parts[0]) / parts[2] < most
            else {
                throw value.error("expected from <= to and a step above 0, fewer than \(Int(most)) in all")
            }
            return stride(from: parts[0], through: parts[1], by: parts[2]).map { millionths in
                value.number(millionths / 1e6)
            }
        }

        func lengths() throws -> [Member] {
            try mapping.list("lengths").map { value in
                let seconds = try mapping.checkedLength(value.double())
                return try member(
                    severity: "\(formatNumber(seconds)) s", value: seconds, lengthSeconds: seconds,
                    chain: chain,
                    variables: [:])
            }
        }

        func variants() throws -> [Member] {
            try mapping.list("variants").map { value in
                let variant = try value.mapping()
                let severity = try variant.string("name")
                let length = try variant.length("lengthSeconds", default: lengthSeconds)
                let steps = try variant.list("chain")
                try variant.rejectUnknownKeys()
                return try member(
                    severity: severity, value: nil, lengthSeconds: length, chain: chain + steps,
                    variables: [:])
            }
        }

        func cross() throws -> [Member] {
            guard let variables = try mapping.mapping("cross") else { return [] }
            var combinations: [[(key: String, value: YAMLValue)]] = [[]]
            for key in variables.keys {
                let values = try variables.list(key)
                combinations = combinations.flatMap { combination in
                    values.map { combination + [(key, $0)] }
                }
            }
            return try combinations.map { combination in
                try member(
                    severity: combination.map { label($0.value, isSigned: false) }.joined(separator: " × "),
                    value: nil, lengthSeconds: lengthSeconds, chain: chain,
                    variables: Dictionary(
                        uniqueKeysWithValues: combination.map { ($0.key, $0.value.plainValue) }))
            }
        }

        private func label(_ value: YAMLValue, isSigned: Bool) -> String {
            guard let number = value.number else { return value.text }
            let sign = isSigned && number > 0 ? "+" : ""
            return sign + formatNumber(number) + (unit.isEmpty ? "" : " \(unit)")
        }

        private func member(
            severity: String, value: Double?, lengthSeconds: Double, chain: [YAMLValue],
            variables: [String: PlainValue]
        ) throws -> Member {
            Member(
                cell: Cell(
                    degradation: name, severity: severity, severityValue: value,
                    lengthSeconds: lengthSeconds, rung: rung),
                chain: try chain.map { try Self.template($0, variables: variables) })
        }

        package static func template(_ step: YAMLValue, variables: [String: PlainValue]) throws
            -> DegradationTemplate
        {
            let mapping = try step.mapping()
            guard let name = mapping.keys.first, mapping.keys.count == 1 else {
                throw step.error(
                    "expected one degradation, `name: {parameters}`, found \(mapping.keys.count) keys")
            }
            let parameters = try mapping[name]?.plainValue.substituting(variables, at: step) ?? .null
            do {
                return try DegradationTemplate(name: name, parameters: parameters)
            } catch let error as DegradationError {
                throw step.error(error.description)
            }
        }
    }

    /// Reads a chain written as a YAML list, for queries made without a plan.
    package static func chain(text: String) throws -> [DegradationTemplate] {
        try YAMLReader(text: text, name: "chain").root.list().map {
            try FamilyReader.template($0, variables: [:])
        }
    }
}

extension YAMLValue {
    fileprivate func number(_ value: Double) -> YAMLValue {
        YAMLValue(file: file, line: line, content: .scalar(formatNumber(value), isPlain: true))
    }

    fileprivate var number: Double? { plainValue.asNumber }

    fileprivate var text: String {
        if case .scalar(let text, _) = content { text } else { "" }
    }
}

extension PlainValue {
    /// Replaces each text of the form `$name` by the variable of that name.
    fileprivate func substituting(_ variables: [String: PlainValue], at place: YAMLValue) throws -> PlainValue
    {
        switch self {
        case .string(let text) where text.hasPrefix("$"):
            guard let value = variables[String(text.dropFirst())] else {
                let known = variables.keys.sorted().map { "$\($0)" }.joined(separator: ", ")
                throw place.error("\(text) is not defined here; known: \(known.isEmpty ? "none" : known)")
            }
            return value
        case .array(let items): return .array(try items.map { try $0.substituting(variables, at: place) })
        case .object(let values):
            return .object(try values.mapValues { try $0.substituting(variables, at: place) })
        default: return self
        }
    }
}
