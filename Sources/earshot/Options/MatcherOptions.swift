import ArgumentParser
import Evaluation
import MatcherAdapters

/// The options that choose a matcher of this program, and its settings.
struct BuiltInOptions: ParsableArguments {
    @Option(
        help: "The matcher: \(Contestants.all.map(\.name).joined(separator: ", ")).",
        completion: .matchers)
    var matcher = MatcherRequest.standardName
    @Option(
        name: .customLong("set"),
        help:
            "Change a setting of the matcher: name=value. Can be repeated. `earshot settings` lists all settings.",
        completion: .settings)
    var settings: [MatcherRequest.Setting] = []

    func validate() throws {
        try reject(if: Contestants.named(matcher) == nil, "there is no matcher called '\(matcher)'")
    }

    var request: MatcherRequest { MatcherRequest(name: matcher, settings: settings) }
}

/// The options that choose what is measured.
struct MatcherOptions: ParsableArguments {
    @OptionGroup var builtIn: BuiltInOptions
    @Option(
        help: ArgumentHelp(
            "Measure your own program. The value is the command line that starts the program.",
            discussion: """
                No shell reads the command line, but quotes keep words together. scripts/adapters/CONTRACT.md describes the \
                protocol of the program.
                """))
    var matcherCommand: String?
    @OptionGroup var limits: LimitOptions

    func validate() throws {
        try exclude("--matcher-command", "--matcher", "--set")
        try require(LimitOptions.names, with: "--matcher-command")
        if let matcherCommand { _ = try ExternalCommand(matcherCommand) }
    }

    var request: MatcherRequest {
        var request = builtIn.request
        request.program = matcherCommand.map(limits.program)
        return request
    }
}

extension MatcherRequest.Setting: ExpressibleByArgument {
    /// Reads `name=value`.
    public init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let value = Double(parts[1]), value.isFinite else { return nil }
        self.init(name: String(parts[0]), value: value)
    }
}
