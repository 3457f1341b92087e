import Matchers

package enum Contestants {
    package static let earshot = Contestant(
        name: "earshot", summary: "our own engine", tunables: EngineSetting.all.map(\.description)
    ) { chosen in
        FingerprintingMatcher(settings: EngineSetting.settings(chosen))
    }

    package static let all: [Contestant] = [
        earshot,
        Contestant(name: "null", summary: "never answers: the floor of every figure") { NullMatcher() },
        Contestant(name: "oracle", summary: "is told the truth: the ceiling of every figure") {
            OracleMatcher()
        },
    ]

    /// The contestant called `name`.
    package static func named(_ name: String) -> Contestant? { all.first { $0.name == name } }
}
