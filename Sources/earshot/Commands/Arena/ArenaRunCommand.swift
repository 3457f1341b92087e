import ArgumentParser
import Evaluation
import Foundation
import MatcherAdapters
import Reporting

struct ArenaRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Put several matchers through the same trials, and write a leaderboard",
        discussion: """
            Contestants come from a file, or from options that may be repeated. Each has a folder of its own below \
            --output, with its report; what was broken off goes on. For example
              earshot arena run --plan smoke --matcher earshot --matcher-command scripts/adapters/example.py
            leaderboard.csv, leaderboard.md and arena.html set them side by side. A contestant that cannot be \
            measured is noted there, the others go on, and the exit code is 1. The last line on standard output is \
            the page's path.
            """)

    @OptionGroup var options: PlanOptions

    @Option(help: "A YAML file of contestants, as Corpora/Plans/Arena/example.yaml.")
    var contestants: String?

    @Option(
        name: .customLong("matcher"),
        help:
            "A built-in contestant: \(Contestants.all.map(\.name).joined(separator: ", ")); may be repeated.")
    var matchers: [String] = []

    @Option(
        name: .customLong("matcher-command"),
        help: "A contestant that is a program, started by this command line; may be repeated.")
    var commands: [String] = []

    @OptionGroup var limits: ExternalOptions

    @Option(help: "The number of threads; figures other than latency do not depend on it.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    @Option(help: "The folder for the arena; by default one under Reports/runs named after plan and corpus.")
    var output: String?

    @OptionGroup var caching: CacheOptions

    @Flag(help: "Forget what an earlier run of the same plan and matchers stored here.")
    var fresh = false

    func validate() throws {
        if contestants == nil, matchers.isEmpty, commands.isEmpty {
            throw ValidationError(
                "there is no contestant; give --contestants, --matcher or --matcher-command")
        }
        for matcher in matchers where Contestants.named(matcher) == nil {
            throw ValidationError("there is no matcher called '\(matcher)'")
        }
        for command in commands { _ = try ExternalCommand(command) }
        if jobs < 1 { throw ValidationError("--jobs \(jobs) is below 1") }
    }

    func run() throws {
        let entries = try entries()
        let request = options.request()
        let opened = try request.open()
        let plan = opened.plan
        let folder =
            output ?? "Reports/runs/arena-\(plan.file.name)-\(plan.corpus.name)-\(plan.digest.prefix(8))"
        try plan.corpus.requireOutside(folder)
        let positives = plan.trials.count { $0.isPositive }
        let negatives = plan.trials.count - positives
        guard positives > 0, negatives > 0 else {
            throw ValidationError(
                "the arena needs positives and negatives; this plan has \(positives) and \(negatives)")
        }
        StandardError.print(
            "seed \(plan.seed), \(plan.trials.count) trials, \(plan.references(leavingOut: nil).count) references, "
                + "\(entries.count) contestants")
        let cache = try caching.open(in: opened.library, usualGigabytes: 8)
        var standings: [ArenaStanding] = []
        var failures: [ArenaModel.Failure] = []
        for entry in entries {
            StandardError.print("\(entry.name):")
            do {
                var own = request
                own.matcher = entry.request
                let run = try ContestantRun(
                    opened, request: own, contestant: entry.contestant, jobs: jobs, cache: cache,
                    progress: ProgressDisplay().show(_:done:of:))
                let place = "\(folder)/\(entry.name)"
                let (_, records, facts) = try run.run(
                    in: place, isFresh: fresh, resuming: EvaluateCommand.noteKnown(in: place))
                let standing = ArenaStanding(
                    name: entry.name, records: records, facts: facts, commands: RunCommands(facts.request))
                try standing.model.write(to: place)
                standings.append(standing)
            } catch {
                StandardError.print("\(entry.name) cannot be measured: \(Advice.text(error))")
                failures.append(.init(name: entry.name, message: "\(error)"))
            }
        }
        let model = try ArenaModel(standings, failures: failures)
        let report = ArenaReport(model)
        let page = try report.write(to: folder)
        try StandardOutput.print(report.summary)
        try StandardOutput.print(page)
        if !failures.isEmpty { throw ExitCode(1) }
    }

    private func entries() throws -> [ContestantList.Entry] {
        var entries =
            try contestants.map { try ContestantList(path: $0, limits: limits.limits).entries } ?? []
        for matcher in matchers {
            entries.append(try .init(name: matcher, request: MatcherRequest(name: matcher)))
        }
        for command in commands {
            let name = try ExternalCommand(command).name
            // The name is that of a folder, too.
            guard ContestantList.isName(name) else {
                throw ValidationError("'\(command)' gives no name for a contestant; name it in a file")
            }
            let program = MatcherRequest.Program(command: command, limits: limits.limits)
            entries.append(try .init(name: name, request: MatcherRequest(program: program)))
        }
        for (number, entry) in entries.enumerated()
        where entries[..<number].contains(where: { $0.name == entry.name }) {
            throw ValidationError("there are two contestants called '\(entry.name)'; name them in a file")
        }
        return entries
    }
}
