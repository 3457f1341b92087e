import ArgumentParser
import Evaluation
import MatcherAdapters

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
        let options = [
            ("time-limit-seconds", timeLimitSeconds), ("start-limit-seconds", startLimitSeconds),
            ("enrol-limit-seconds", enrolLimitSeconds), ("ready-limit-seconds", readyLimitSeconds),
            ("memory-limit-gigabytes", memoryLimitGigabytes ?? 1),
        ]
        for (name, value) in options where !(value > 0 && value <= 1e6) {
            throw ValidationError("--\(name) \(value) is not above 0 and at most 1000000")
        }
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
}
