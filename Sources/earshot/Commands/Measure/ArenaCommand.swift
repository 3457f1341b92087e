import ArgumentParser
import Evaluation
import MatcherAdapters
import Reporting
import SystemIO

struct ArenaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "arena",
        abstract: "Check programs that match, and set matchers against each other over the same trials",
        subcommands: [Run.self, Check.self, Adapter.self])

    struct Run: ParsableCommand, ResumableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put several matchers through the same trials, and write a leaderboard",
            discussion: """
                Contestants come from a file, or from options that can be repeated. Each has a folder below --output, \
                with its report. An interrupted arena resumes. For example:

                  earshot arena run --plan smoke --matcher earshot --matcher-command scripts/adapters/example.py

                leaderboard.csv, leaderboard.md and arena.html compare them. They name a contestant that cannot be \
                measured; the others continue, and the exit code is 1. The last line on standard output is the page's path.
                """)

        @OptionGroup var options: PlanOptions
        @Option(help: "A YAML file of contestants, as Corpora/Plans/Arena/example.yaml.")
        var contestants: String?
        @Option(
            name: .customLong("matcher"),
            help:
                "A built-in contestant: \(Contestants.all.map(\.name).joined(separator: ", ")). Can be repeated.",
            completion: .matchers)
        var matchers: [String] = []
        @Option(
            name: .customLong("matcher-command"),
            help: "A contestant that is a program, started by this command line. Can be repeated.")
        var commands: [String] = []
        @OptionGroup var limits: LimitOptions
        @OptionGroup var threads: ThreadOptions
        @OptionGroup var results: ResultOptions
        @OptionGroup var caching: CacheOptions
        @OptionGroup var retry: RetryOptions
        @OptionGroup var exam: ExamOptions
        @OptionGroup var decoding: SandboxOptions
        @Flag(
            inversion: .prefixedNo,
            help: "Ask some queries of each contestant again, unchanged and as fresh cuts from a random seed."
        )
        var checkMemory = true

        func validate() throws {
            try reject(
                if: contestants == nil && matchers.isEmpty && commands.isEmpty,
                "there is no contestant; give --contestants, --matcher or --matcher-command")
            try require(LimitOptions.names, with: "--matcher-command", "--contestants")
            for matcher in matchers {
                try reject(if: Contestants.named(matcher) == nil, "there is no matcher called '\(matcher)'")
            }
            for command in commands { _ = try ExternalCommand(command) }
        }

        func run() throws {
            let entries = try entries()
            let ledger = try exam.ledger()
            let (request, library) = try options.started(exam: ledger)
            let cache = try caching.open(in: library)
            let opened = try request.open(noting: library)
            let plan = opened.plan
            let folder = try plan.corpus.resultFolder(
                results.output, "arena", plan.file.name, plan.corpus.name, "\(plan.digest.prefix(8))")
            try announce(plan, contestants: entries.count)
            var failures: [ArenaModel.Failure] = []
            // One seed for all, so that all get the same fresh cuts.
            let seed = UInt64.random(in: 0...UInt64(Int.max))
            let standings = try entries.compactMap { entry in
                try standing(
                    of: entry, in: "\(folder)/\(entry.name)", request, opened, cache, ledger, seed, &failures)
            }
            let pooled = try PooledAnswers(
                standings.flatMap { $0.model.trials.map(\.record) }, of: plan.corpus, jobs: threads.count)
            let model = try ArenaModel(standings, failures: failures, pooled: pooled)
            try ArenaReport(model).publish(to: folder)
            if !failures.isEmpty { throw ExitCode(1) }
        }

        private func announce(_ plan: Plan, contestants: Int) throws {
            let positives = plan.trials.count { $0.isPositive }
            let negatives = plan.trials.count - positives
            try reject(
                if: positives == 0 || negatives == 0,
                "the arena needs positives and negatives; this plan has \(positives) and \(negatives). "
                    + "--negative-folds gives negatives")
            StandardError.print(
                "seed \(plan.seed), \(plan.trials.count.counting("trial")), "
                    + "\(plan.references(leavingOut: nil).count.counting("reference")), "
                    + contestants.counting("contestant"))
        }

        /// Runs a contestant into a folder of its own; one that cannot be measured is a failure.
        private func standing(
            of entry: ContestantList.Entry, in folder: String, _ request: RunRequest, _ opened: OpenedPlan,
            _ cache: TrialCache?, _ ledger: ExamLedger?, _ seed: UInt64,
            _ failures: inout [ArenaModel.Failure]
        ) throws -> ArenaStanding? {
            StandardError.print("\(entry.name):")
            do {
                var request = request
                request.matcher = entry.request
                var contestant = try ContestantRun(
                    opened, request: request, contestant: entry.contestant,
                    jobs: threads.count, cache: cache, progress: ProgressDisplay().show)
                if checkMemory { contestant.memorySeed = seed }
                contestant.exam = ledger
                let (run, records) = try contestant.noted(
                    in: folder, isFresh: retry.fresh, retriesErrors: retry.retryErrors)
                let standing = ArenaStanding(
                    name: entry.name, records: records, facts: run.facts,
                    commands: RunCommands(run.facts.request))
                try standing.model.write(to: folder)
                for remark in standing.model.memoryRemarks + standing.model.trialRemarks {
                    StandardError.print(remark)
                }
                if standing.model.everyTrialFailed {
                    failures.append(.init(name: entry.name, message: "every trial ended with an error"))
                    return nil
                }
                return standing
            } catch let error where !error.isFailureOfJudge {
                StandardError.print("\(entry.name) cannot be measured: \(Advice.text(error))")
                failures.append(.init(name: entry.name, message: "\(error)"))
                return nil
            }
        }

        private func entries() throws -> [ContestantList.Entry] {
            var entries =
                try contestants.map {
                    try ContestantList(path: $0, limits: limits.limits, variables: limits.variables).entries
                } ?? []
            for matcher in matchers {
                entries.append(try .init(name: matcher, request: MatcherRequest(name: matcher)))
            }
            for command in commands {
                let name = try ExternalCommand(command).name
                // The name is that of a folder, too.
                try reject(
                    if: !ContestantList.isName(name),
                    "'\(command)' gives no name for a contestant; name it in a file")
                let request = MatcherRequest(program: limits.program(command))
                entries.append(try .init(name: name, request: request))
            }
            var names: Set<String> = []
            for entry in entries where !names.insert(entry.name).inserted {
                throw ValidationError("there are two contestants called '\(entry.name)'; name them in a file")
            }
            return entries
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Try a program against the contract of external matchers, on music made by a formula",
            discussion: """
                Each line is a check with its verdict: pass, warn or fail. A warning is allowed by the contract, \
                scripts/adapters/CONTRACT.md. The exit code is 1 if a check fails. For example:

                  earshot arena check "scripts/adapters/example.py"
                """)

        @Argument(help: "The command line that starts the program, as one word.")
        var command: String
        @OptionGroup var limits: LimitOptions

        func validate() throws { _ = try ExternalCommand(command) }

        func run() throws {
            let limits = ExternalLimits(limits.limits)
            let findings = try ConformanceCheck(
                ExternalCommand(command, variables: self.limits.variables), limits: limits
            ) {
                try? StandardOutput.print($0.line)
            }.run()
            func count(_ verdict: CheckFinding.Verdict) -> Int { findings.count { $0.verdict == verdict } }
            try StandardOutput.print("\(count(.pass)) passed, \(count(.warn)) warned, \(count(.fail)) failed")
            if count(.fail) > 0 { throw ExitCode(1) }
        }
    }

    struct Adapter: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Answer as an external matcher, to measure the overhead of the contract",
            discussion: """
                Speaks the contract of scripts/adapters/CONTRACT.md on standard input and output. For example:

                  earshot arena run --plan smoke --matcher earshot --matcher-command "earshot arena adapter"
                """)

        @OptionGroup var choice: BuiltInOptions

        func run() throws {
            try AdapterServer(choice.request.contestant()).serve(
                { readLine() }, send: { try StandardOutput.print($0) })
        }
    }
}
