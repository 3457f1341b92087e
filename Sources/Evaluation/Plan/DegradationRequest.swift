import AudioCore
import Corpora
import Degradations
import Foundation
import SystemIO

/// A program of degradations, and what it offered when the plan was made.
public struct DegradationRequest: Codable, Hashable, Sendable {
    /// The command line that starts it, as the user gave it.
    public var command: String
    /// Seconds for one query; nil is the standard limit.
    public var limitSeconds: Double?
    /// The names of the variables that it gets beside the usual ones; nil for none.
    public var variables: [String]?
    package var offered: [OfferedDegradation]

    /// Names a program.
    public init(command: String, limitSeconds: Double? = nil, variables: [String] = []) {
        self.command = command
        self.limitSeconds = limitSeconds
        self.variables = variables.isEmpty ? nil : variables
        offered = []
    }
}

/// A query needs a program of degradations that the user did not name now.
package struct DegradationsNotNamed: Error, CustomStringConvertible, Sendable {
    package let command: String

    package var description: String {
        "the queries need the degradations of the program `\(VisibleText.quoted(command))`; a stored command is not started"
    }
}

/// A program that was not started: each use is an error.
package struct UnnamedDegradations: DegradationProgram {
    package let command: String

    package init(command: String) { self.command = command }

    package func degrade(
        _ audio: AudioBuffer, by name: String, version: String?, severity: Double?, seed: Int
    ) throws -> DegradedAudio { throw DegradationsNotNamed(command: command) }
}

extension RunRequest {
    /// The steps of a query that is cut without a plan.
    package func cutChain() throws -> [DegradationTemplate] {
        try PlanFile.chain(text: chain ?? "[]").map {
            try $0.planned(with: degradations?.offered ?? [], in: "chain")
        }
    }
}

extension PlanFile {
    /// Adds conditions for the degradations that a program offers and for a chain, which changes the digest.
    ///
    /// Steps of the plan that name a degradation of the program get its version.
    /// - Parameter chain: A YAML list.
    package mutating func add(_ program: DegradationRequest?, chain: String?) throws {
        let offered = program?.offered ?? []
        for one in offered { families += try Family.of(one, lengthSeconds: lengthSeconds).map { [$0] } ?? [] }
        if let chain {
            let cell = Cell(
                degradation: "chain", severity: "", severityValue: nil, lengthSeconds: lengthSeconds)
            families.append(
                Family(
                    name: cell.degradation, members: [Member(cell: cell, chain: try Self.chain(text: chain))])
            )
        }
        for family in families.indices {
            for member in families[family].members.indices {
                let chain = families[family].members[member].chain
                families[family].members[member].chain = try chain.map {
                    try $0.planned(with: offered, in: head.path, line: families[family].line)
                }
            }
        }
        head.note(
            offered.map { "degradation \($0.name) \($0.version)" } + (chain.map { ["chain \($0)"] } ?? []))
    }
}

extension PlanFile.Family {
    /// The conditions of a degradation; nil if it has none of its own.
    fileprivate static func of(
        _ offered: OfferedDegradation, lengthSeconds: Double
    ) throws -> PlanFile.Family? {
        if offered.severities?.isEmpty == true { return nil }
        var parameters: [String: PlainValue] = ["name": .string(offered.name)]
        var family: [String: PlainValue] = ["name": .string(offered.name)]
        if let severities = offered.severities {
            family["severities"] = .array(severities.map(PlainValue.number))
            parameters["severity"] = "$severity"
        }
        family["chain"] = [.object([ProgramDegradation.name: .object(parameters)])]
        // JSON is YAML, so that a plan's own reader makes the cells.
        let text = String(decoding: try JSONEncoder().encode(PlainValue.object(family)), as: UTF8.self)
        let reader = try YAMLReader(text: text, name: "degradation \(offered.name)")
        return try PlanFile.Family(reader.mapping(), lengthSeconds: lengthSeconds)
    }
}

extension DegradationTemplate {
    /// The step with the version of the program's degradation that it names; any other step as it is.
    ///
    /// - Throws: ``ConfigurationError`` if the program does not offer it.
    package func planned(
        with offered: [OfferedDegradation], in file: String, line: Int? = nil
    ) throws -> DegradationTemplate {
        guard name == ProgramDegradation.name, case .object(var values) = parameters,
            case .string(let wanted)? = values["name"]
        else { return self }
        guard let one = offered.first(where: { $0.name == wanted }) else {
            let known = offered.map(\.name)
            let found =
                known.isEmpty
                ? "no program offers degradations" : "the program offers \(known.joined(separator: ", "))"
            throw ConfigurationError(
                file: file, line: line,
                message:
                    "there is no degradation called \"\(wanted)\"; \(found)\(known.suggestion(for: wanted))")
        }
        values["version"] = .string(one.version)
        return try DegradationTemplate(name: name, parameters: .object(values))
    }
}
