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
    ///
    /// - Parameters:
    ///   - settings: those that the command line has as `{name}`; nil if the program states its own.
    ///   - isAsked: Whether the program is started to state its settings; without that none can be chosen.
    package static func external(
        _ command: ExternalCommand, name: String? = nil, limits: ExternalLimits = ExternalLimits(),
        settings: [TunableSetting]? = nil, isAsked: Bool = false
    ) throws -> Contestant {
        if let settings { try command.requirePlaces(of: settings.map(\.name)) }
        let tunables =
            if let settings { settings } else if isAsked {
                try ExternalMatcher.tunables(of: command, limits: limits)
            } else { [TunableSetting]() }
        let usual = settings.map { command.filled($0.texts(choosing: [:])) } ?? command
        return Contestant(
            name: name ?? usual.name, summary: "the program `\(command.text)`", tunables: tunables,
            codeFiles: usual.files
        ) { chosen in
            guard settings != nil else {
                return try ExternalMatcher(command, limits: limits, tunables: tunables, chosen: chosen)
            }
            return try ExternalMatcher(command.filled(tunables.texts(choosing: chosen)), limits: limits)
        }
    }
}

extension [TunableSetting] {
    /// The value of each setting as text, by its name.
    func texts(choosing chosen: [String: Double]) -> [String: String] {
        Dictionary(map { ($0.name, $0.text(of: chosen[$0.name] ?? $0.standard)) }, uniquingKeysWith: { $1 })
    }
}
