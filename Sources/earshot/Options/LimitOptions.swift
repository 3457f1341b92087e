import ArgumentParser
import Evaluation
import MatcherAdapters

/// The options that limit what a program under `--matcher-command` may take.
struct LimitOptions: ParsableArguments {
    @Option(help: "Seconds that a program may take to answer a query. Then it is killed and started again.")
    var timeLimitSeconds = ExternalLimits().querySeconds
    @Option(help: "Seconds from its start until a program must say what it is.")
    var startLimitSeconds = ExternalLimits().helloSeconds
    @Option(help: "Seconds that a program may take to enrol one reference.")
    var enrolLimitSeconds = ExternalLimits().enrolSeconds
    @Option(help: "Seconds that a program may take to get ready after the last reference.")
    var readyLimitSeconds = ExternalLimits().readySeconds
    @Option(help: "Gigabytes of memory for a program and its children. (default: 3/4 of the machine's)")
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
