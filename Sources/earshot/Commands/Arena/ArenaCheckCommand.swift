import ArgumentParser
import MatcherAdapters

struct ArenaCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Try a program against the contract of external matchers, on music made by a formula",
        discussion: """
            Each line is a check: pass, warn (allowed, but worth knowing) or fail, with what was seen and what was \
            expected. The exit code is 1 when one fails. scripts/adapters/CONTRACT.md is the contract. For example
              earshot arena check "scripts/adapters/example.py"
            """)

    @Argument(help: "The command line that starts the program, as one word.")
    var command: String

    @OptionGroup var limits: ExternalOptions

    func validate() throws { _ = try ExternalCommand(command) }

    func run() throws {
        let check = try ConformanceCheck(ExternalCommand(command), limits: ExternalLimits(limits.limits)) {
            finding in
            try? StandardOutput.print(finding.line)
        }
        let findings = check.run()
        func count(_ verdict: CheckFinding.Verdict) -> Int { findings.count { $0.verdict == verdict } }
        try StandardOutput.print("\(count(.pass)) passed, \(count(.warn)) warned, \(count(.fail)) failed")
        if count(.fail) > 0 { throw ExitCode(1) }
    }
}
