import Evaluation
import Matchers
import SystemIO

extension MatcherRequest {
    /// The matcher that the user asks for now.
    ///
    /// - Parameter title: what it is called; nil takes its own name.
    package func contestant(called title: String? = nil) throws -> Contestant {
        if let program {
            return try Contestants.external(
                ExternalCommand(program.command), name: title, limits: ExternalLimits(program.limits)
            ).choosing(chosen)
        }
        guard let known = Contestants.named(name) else { throw UnknownMatcher(name: name) }
        return try known.choosing(chosen)
    }

    /// The matcher of a stored request.
    ///
    /// A stored command is started only where the user named the same one now.
    package func contestant(allowing command: String?) throws -> Contestant {
        if let program, program.command != command { throw ProgramNotNamed(command: program.command) }
        return try contestant()
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
