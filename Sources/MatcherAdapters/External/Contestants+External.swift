import Matchers

extension Contestants {
    /// A matcher that is a program of its own, started by `command`; each instance is a process.
    package static func external(
        _ command: ExternalCommand, name: String? = nil, limits: ExternalLimits = ExternalLimits()
    ) -> Contestant {
        Contestant(name: name ?? command.name, summary: "the program `\(command.text)`") {
            try ExternalMatcher(command, limits: limits)
        }
    }
}
