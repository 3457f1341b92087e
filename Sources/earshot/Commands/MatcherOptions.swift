import ArgumentParser
import Evaluation
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

    var request: MatcherRequest {
        MatcherRequest(
            name: matcher, settings: settings.map { .init(name: $0.name, value: $0.value) },
            program: matcherCommand.map { .init(command: $0, limits: limits.limits) })
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
