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
            "Change a setting of the matcher, as name=value; may be repeated. `earshot settings` lists them.",
        completion: .settings)
    var settings: [MatcherRequest.Setting] = []

    var request: MatcherRequest { MatcherRequest(name: matcher, settings: settings) }
}

/// The options that choose what is measured.
struct MatcherOptions: ParsableArguments {
    @OptionGroup var builtIn: BuiltInOptions
    @Option(
        help: ArgumentHelp(
            "Measure a program of yours, started by this command line.",
            discussion: """
                No shell reads it: words and quotes count, as in "python3 mine.py". scripts/adapters/CONTRACT.md describes \
                what the program must speak.
                """))
    var matcherCommand: String?
    @OptionGroup var limits: LimitOptions

    func validate() throws {
        try reject(
            if: Contestants.named(builtIn.matcher) == nil,
            "there is no matcher called '\(builtIn.matcher)'")
        guard let matcherCommand else { return }
        try reject(
            if: builtIn.matcher != MatcherRequest.standardName,
            "--matcher and --matcher-command exclude each other")
        _ = try ExternalCommand(matcherCommand)
    }

    var request: MatcherRequest {
        MatcherRequest(
            name: builtIn.matcher, settings: builtIn.settings, program: matcherCommand.map(limits.program))
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
