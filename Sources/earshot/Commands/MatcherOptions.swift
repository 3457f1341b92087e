import ArgumentParser
import MatcherAdapters
import Matchers

/// The options that choose a matcher and its settings.
struct MatcherOptions: ParsableArguments {
    @Option(help: "Who is measured: \(Contestants.all.map(\.name).joined(separator: ", ")).")
    var matcher = "earshot"

    @Option(
        name: .customLong("set"),
        help:
            "Another value for a setting of the matcher, as name=value; may be repeated. `earshot settings` lists them."
    )
    var settings: [SettingChoice] = []

    @Option(
        help:
            "Measure a program of yours instead, started by this command line; scripts/adapters/CONTRACT.md says what it has to speak."
    )
    var matcherCommand: String?

    @OptionGroup var limits: ExternalOptions

    func validate() throws {
        if Contestants.named(matcher) == nil {
            throw ValidationError("there is no matcher called '\(matcher)'")
        }
        guard let matcherCommand else { return }
        if matcher != "earshot" {
            throw ValidationError("--matcher and --matcher-command exclude each other")
        }
        _ = try ExternalCommand(matcherCommand)
    }

    /// The matcher with its settings.
    func contestant() throws -> Contestant {
        let chosen = Dictionary(settings.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        if let matcherCommand {
            return try Contestants.external(ExternalCommand(matcherCommand), limits: limits.limits)
                .choosing(chosen)
        }
        guard let contestant = Contestants.named(matcher) else {
            throw ValidationError("there is no matcher called '\(matcher)'")
        }
        return try contestant.choosing(chosen)
    }

    /// The options to choose the same matcher again, as a program gets them; none for the standard one.
    var arguments: [String] {
        let name = matcher == "earshot" ? [] : ["--matcher", matcher]
        let command = matcherCommand.map { ["--matcher-command", $0] + limits.limits.arguments } ?? []
        return name + command + settings.flatMap { ["--set", "\($0.name)=\($0.value)"] }
    }
}

/// `name=value`.
struct SettingChoice: ExpressibleByArgument {
    let name: String
    let value: Double

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let value = Double(parts[1]), value.isFinite else { return nil }
        name = String(parts[0])
        self.value = value
    }
}
