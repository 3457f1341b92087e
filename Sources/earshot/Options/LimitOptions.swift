import ArgumentParser
import Evaluation
import MatcherAdapters

/// The limits of time and memory of a program under `--matcher-command`.
struct LimitOptions: ParsableArguments {
    @Option(help: "Seconds for an answer to a query. A slower program is killed and started again.")
    var timeLimitSeconds = ExternalLimits().querySeconds
    @Option(help: "Seconds for a program to start and to state its name.")
    var startLimitSeconds = ExternalLimits().helloSeconds
    @Option(help: "Seconds for a program to enrol one reference.")
    var enrolLimitSeconds = ExternalLimits().enrolSeconds
    @Option(help: "Seconds for a program to get ready after the last reference.")
    var readyLimitSeconds = ExternalLimits().readySeconds
    @Option(help: "Gigabytes of memory for a program and its children. (default: 3/4 of the machine's)")
    var memoryLimitGigabytes: Double?

    static let names = [
        "--time-limit-seconds", "--start-limit-seconds", "--enrol-limit-seconds", "--ready-limit-seconds",
        "--memory-limit-gigabytes",
    ]

    func validate() throws {
        let values = [
            timeLimitSeconds, startLimitSeconds, enrolLimitSeconds, readyLimitSeconds, memoryLimitGigabytes,
        ]
        for (name, value) in zip(Self.names, values) { try require(name, value, atMost: 1_000_000) }
    }

    /// The limits that differ from the standard ones.
    var limits: MatcherRequest.Limits {
        let standard = ExternalLimits()
        var limits = MatcherRequest.Limits()
        if timeLimitSeconds != standard.querySeconds { limits.querySeconds = timeLimitSeconds }
        if startLimitSeconds != standard.helloSeconds { limits.startSeconds = startLimitSeconds }
        if enrolLimitSeconds != standard.enrolSeconds { limits.enrolSeconds = enrolLimitSeconds }
        if readyLimitSeconds != standard.readySeconds { limits.readySeconds = readyLimitSeconds }
        limits.memoryGigabytes = memoryLimitGigabytes
        return limits
    }

    func program(_ command: String) -> MatcherRequest.Program { .init(command: command, limits: limits) }
}
