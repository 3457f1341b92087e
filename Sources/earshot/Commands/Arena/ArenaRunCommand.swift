import ArgumentParser
import Evaluation
import Foundation
import MatcherAdapters
import Reporting

/// `earshot arena run`: several matchers over the same trials, and a leaderboard.
struct ArenaRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Put several matchers through the same trials, and write a leaderboard.",
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
        let (plan, material, library) = try options.open()
        let folder =
            output ?? "Reports/runs/arena-\(plan.file.name)-\(plan.corpus.name)-\(plan.digest.prefix(8))"
        try plan.corpus.keepOut(folder)
        let positives = plan.trials.count { $0.isPositive }
        let negatives = plan.trials.count - positives
        guard positives > 0, negatives > 0 else {
            throw ValidationError(
                "the arena needs positives and negatives; this plan has \(positives) and \(negatives)")
        }
        StandardError.print(
            "seed \(plan.seed), \(plan.trials.count) trials, \(plan.references(leavingOut: nil).count) references, "
                + "\(entries.count) contestants")
        let cache = try caching.open(in: library, usualGigabytes: 8)
        var standings: [ArenaStanding] = []
        var failures: [ArenaModel.Failure] = []
        for entry in entries {
            StandardError.print("\(entry.name):")
            do {
                let key = TrialStore.RunKey(plan: plan.digest, matcher: try entry.contestant.digest())
                let run = ContestantRun(
                    plan: plan, material: material, contestant: entry.contestant, jobs: jobs, cache: cache,
                    planArguments: options.commandLine, matcherArguments: entry.arguments)
                let (_, records, facts) = try run.run(in: "\(folder)/\(entry.name)", key: key, isFresh: fresh)
                let standing = ArenaStanding(name: entry.name, records: records, facts: facts)
                try standing.model.write(to: "\(folder)/\(entry.name)")
                standings.append(standing)
            } catch {
                StandardError.print("\(entry.name) cannot be measured: \(error)")
                failures.append(.init(name: entry.name, message: "\(error)"))
            }
        }
        let model = try ArenaModel(standings, failures: failures)
        let report = ArenaReport(model, commandLine: CommandLine.typed)
        let page = try report.write(to: folder)
        try StandardOutput.print(report.summary)
        try StandardOutput.print(page)
        if !failures.isEmpty { throw ExitCode(1) }
    }

    private func entries() throws -> [ContestantList.Entry] {
        var entries =
            try contestants.map { try ContestantList(path: $0, limits: limits.limits).entries } ?? []
        for matcher in matchers {
            guard let contestant = Contestants.named(matcher) else { continue }
            entries.append(.init(name: matcher, contestant: contestant, arguments: ["--matcher", matcher]))
        }
        for command in commands {
            let external = try ExternalCommand(command)
            // The name is that of a folder, too.
            guard ContestantList.isName(external.name) else {
                throw ValidationError("'\(command)' gives no name for a contestant; name it in a file")
            }
            entries.append(
                .init(
                    name: external.name, contestant: Contestants.external(external, limits: limits.limits),
                    arguments: ["--matcher-command", command] + limits.limits.arguments))
        }
        for (number, entry) in entries.enumerated()
        where entries[..<number].contains(where: { $0.name == entry.name }) {
            throw ValidationError("there are two contestants called '\(entry.name)'; name them in a file")
        }
        return entries
    }
}
