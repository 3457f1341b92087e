import Evaluation
import Matchers
import SystemIO

extension MatcherRequest {
    /// The matcher that the user asks for now.
    ///
    /// - Parameters:
    ///   - title: What it is called; nil takes its own name.
    ///   - knowingSettings: Whether a program is started to state its settings also where none is chosen.
    package func contestant(called title: String? = nil, knowingSettings: Bool = false) throws -> Contestant {
        let known: Contestant
        if let program {
            known = try Contestants.external(
                ExternalCommand(program.command, variables: program.variables ?? []), name: title,
                limits: ExternalLimits(program.limits), settings: program.settings,
                isAsked: knowingSettings || !settings.isEmpty)
        } else {
            guard let builtIn = Contestants.named(name) else { throw UnknownMatcher(name: name) }
            known = builtIn
        }
        return try known.choosing(known.values(of: settings))
    }

    /// The matcher of a stored request.
    ///
    /// A stored command is started only where the user named the same one now.
    package func contestant(allowing command: String?) throws -> Contestant {
        if let program, program.command != command { throw ProgramNotNamed(command: program.command) }
        return try contestant()
    }
}

extension Contestant {
    /// Values by name; the last choice of a name counts.
    ///
    /// - Throws: `SettingError` for an unknown name or word.
    package func values(of settings: [MatcherRequest.Setting]) throws -> [String: Double] {
        var values: [String: Double] = [:]
        for setting in settings {
            values[setting.name] =
                try setting.word.map { try tunable(named: setting.name).value(of: $0) } ?? setting.value
        }
        return values
    }
}

package struct UnknownMatcher: Error, CustomStringConvertible, Sendable {
    package let name: String

    package var description: String {
        let known = Contestants.all.map(\.name).joined(separator: ", ")
        return "there is no matcher called \(VisibleText.quoted(name)); there are \(known)"
    }
}

/// A stored run measured a program that the user did not name now.
package struct ProgramNotNamed: Error, CustomStringConvertible, Sendable {
    package let command: String

    package var description: String {
        "the run measured the program `\(VisibleText.quoted(command))`; a stored command is not started"
    }
}

extension ExternalLimits {
    /// The standard limits with those of `limits` in place of them.
    package init(_ limits: MatcherRequest.Limits) {
        self.init()
        querySeconds = limits.querySeconds ?? querySeconds
        helloSeconds = limits.startSeconds ?? helloSeconds
        enrolSeconds = limits.enrolSeconds ?? enrolSeconds
        readySeconds = limits.readySeconds ?? readySeconds
        if let gigabytes = limits.memoryGigabytes { memoryBytes = Int(gigabytes * 1e9) }
    }
}
