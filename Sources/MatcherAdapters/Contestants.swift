import Matchers

package enum Contestants {
    package static let earshot = Contestant(
        name: "earshot", summary: "our own engine", tunables: EngineSetting.all.map(\.description),
        isDecidedByCode: true
    ) { chosen in
        FingerprintingMatcher(settings: EngineSetting.settings(chosen))
    }

    package static let all: [Contestant] = [
        earshot,
        Contestant(
            name: "null", summary: "never answers: the floor of every figure", isDecidedByCode: true
        ) { NullMatcher() },
        Contestant(
            name: "oracle", summary: "knows the truth: the ceiling of every figure", isDecidedByCode: true
        ) { OracleMatcher() },
    ]

    package static func named(_ name: String) -> Contestant? { all.first { $0.name == name } }
}

extension Contestants {
    /// A matcher in an external program, started by `command`; each instance is a process.
    package static func external(
        _ command: ExternalCommand, name: String? = nil, limits: ExternalLimits = ExternalLimits()
    ) -> Contestant {
        Contestant(
            name: name ?? command.name, summary: "the program `\(command.text)`", codeFiles: command.files
        ) {
            try ExternalMatcher(command, limits: limits)
        }
    }
}
