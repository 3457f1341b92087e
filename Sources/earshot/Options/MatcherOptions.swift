import ArgumentParser
import Evaluation
import MatcherAdapters

struct MatcherOptions: ParsableArguments {
    @Option(
        help: "Who is measured: \(Contestants.all.map(\.name).joined(separator: ", ")).",
        completion: .matchers)
    var matcher = MatcherRequest.standardName
    @Option(
        name: .customLong("set"),
        help:
            "Another value for a setting of the matcher, as name=value; may be repeated. `earshot settings` lists them.",
        completion: .settings)
    var settings: [MatcherRequest.Setting] = []
    @Option(
        help:
            "Measure a program of yours instead, started by this command line; scripts/adapters/CONTRACT.md says what it has to speak."
    )
    var matcherCommand: String?
    @OptionGroup var limits: ExternalOptions

    func validate() throws {
        try reject(if: Contestants.named(matcher) == nil, "there is no matcher called '\(matcher)'")
        guard let matcherCommand else { return }
        try reject(
            if: matcher != MatcherRequest.standardName,
            "--matcher and --matcher-command exclude each other")
        _ = try ExternalCommand(matcherCommand)
    }

    var request: MatcherRequest {
        MatcherRequest(name: matcher, settings: settings, program: matcherCommand.map(limits.program))
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

/// The options that limit what a program under `--matcher-command` may take.
struct ExternalOptions: ParsableArguments {
    @Option(help: "Seconds in which a program must answer a query; then it is killed and started again.")
    var timeLimitSeconds = ExternalLimits().querySeconds
    @Option(help: "Seconds in which a program must say what it is, counted from its start.")
    var startLimitSeconds = ExternalLimits().helloSeconds
    @Option(help: "Seconds in which a program must learn one reference.")
    var enrolLimitSeconds = ExternalLimits().enrolSeconds
    @Option(help: "Seconds in which a program must get ready once it has learnt all references.")
    var readyLimitSeconds = ExternalLimits().readySeconds
    @Option(
        help: "Gigabytes of memory that a program and its children may hold together; by default 3/4 of all.")
    var memoryLimitGigabytes: Double?

    func validate() throws {
        try require("--time-limit-seconds", timeLimitSeconds, atMost: 1_000_000)
        try require("--start-limit-seconds", startLimitSeconds, atMost: 1_000_000)
        try require("--enrol-limit-seconds", enrolLimitSeconds, atMost: 1_000_000)
        try require("--ready-limit-seconds", readyLimitSeconds, atMost: 1_000_000)
        try require("--memory-limit-gigabytes", memoryLimitGigabytes, atMost: 1_000_000)
    }

    /// The limits that differ from the standard ones.
    var limits: MatcherRequest.Limits {
        let standard = ExternalLimits()
        func changed(_ value: Double, _ standard: Double) -> Double? { value == standard ? nil : value }
        var limits = MatcherRequest.Limits()
        limits.querySeconds = changed(timeLimitSeconds, standard.querySeconds)
        limits.startSeconds = changed(startLimitSeconds, standard.helloSeconds)
        limits.enrolSeconds = changed(enrolLimitSeconds, standard.enrolSeconds)
        limits.readySeconds = changed(readyLimitSeconds, standard.readySeconds)
        limits.memoryGigabytes = memoryLimitGigabytes
        return limits
    }

    func program(_ command: String) -> MatcherRequest.Program { .init(command: command, limits: limits) }
}
