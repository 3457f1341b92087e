import AudioCore

/// Runs the commands of minimised cases again, and those of every easier step.
package struct MinimisedCheck: Sendable {
    package struct Result: Sendable {
        package let cases: Int
        package let failing: Int
        package let stepsLess: Int
        package let holding: Int
        package let differences: [String]
    }

    private let jobs: Int
    private let verdict: @Sendable (DegradedQuery) throws -> Minimiser.Verdict

    /// Prepares a check.
    ///
    /// - Parameter verdict: puts a query to the matcher.
    package init(jobs: Int, verdict: @escaping @Sendable (DegradedQuery) throws -> Minimiser.Verdict) {
        self.jobs = jobs
        self.verdict = verdict
    }

    /// Runs every command of `cases`.
    ///
    /// - Parameter progress: Receives how many cases are done, from any thread.
    package func run(_ cases: [MinimisedCase], progress: @Sendable (Int) -> Void = { _ in }) throws -> Result
    {
        let checks = try ParallelMap.map(cases.count, jobs: jobs, progress: progress) { number in
            let one = cases[number]
            return (try verdict(one.minimal), try one.stepsLess.map { try verdict($0.cut) })
        }
        var differences: [String] = []
        for (one, (verdict, stepsLess)) in zip(cases, checks) {
            if verdict != .fails { differences.append("\(one.trialID): failed, now it \(verdict.rawValue)") }
            for (step, found) in zip(one.stepsLess, stepsLess) where found != step.verdict {
                differences.append(
                    "\(one.trialID), \(step.change): stored \(step.verdict.rawValue), now it \(found.rawValue)"
                )
            }
        }
        return Result(
            cases: cases.count, failing: checks.count { $0.0 == .fails },
            stepsLess: checks.reduce(0) { $0 + $1.1.count },
            holding: checks.reduce(0) { $0 + $1.1.count { $0 != .fails } }, differences: differences)
    }
}
