import Degradations
import Evaluation
import Reporting
import Studies
import SystemIO

/// Spells requests as `earshot …` commands for people to copy; the only place that does.
enum CommandText {
    /// What chooses the plan and its recordings, as a program gets it.
    static func plan(_ request: RunRequest) -> [String] {
        var words: [String] = []
        func add(_ name: String, _ value: (some CustomStringConvertible)?) {
            if let value { words += [name, value.description] }
        }
        add("--plan", request.recorded == nil ? request.plan : nil)
        add("--queries", request.recorded?.list)
        add("--references", request.recorded?.references)
        add("--reference-list", request.recorded?.referenceList)
        add("--query-folder", request.recorded?.queryFolder)
        add("--corpus", request.corpus)
        add("--folder", request.folder)
        add("--half", request.half?.rawValue)
        add("--seed", request.seed)
        add("--positives", request.positives)
        add("--negatives", request.negatives)
        add("--start-shift", request.startShift)
        add("--negative-folds", request.negativeFolds)
        add("--corpora", request.recipeFolder)
        return words
    }

    /// What chooses the matcher; nothing for the standard one.
    static func matcher(_ request: MatcherRequest) -> [String] {
        var words: [String] = []
        if let program = request.program {
            words += ["--matcher-command", program.command]
            for (name, value) in [
                ("time-limit-seconds", program.limits.querySeconds),
                ("start-limit-seconds", program.limits.startSeconds),
                ("enrol-limit-seconds", program.limits.enrolSeconds),
                ("ready-limit-seconds", program.limits.readySeconds),
                ("memory-limit-gigabytes", program.limits.memoryGigabytes),
            ] {
                if let value { words += ["--\(name)", "\(value)"] }
            }
        } else if request.name != MatcherRequest.standardName {
            words += ["--matcher", request.name]
        }
        return words + request.settings.flatMap { ["--set", "\($0.name)=\($0.value)"] }
    }

    /// What puts a query to the matcher of a request, by corpus, place and chain.
    static func tryQuery(_ query: DegradedQuery, _ request: RunRequest) -> [String] {
        ["earshot", "try", "--corpus", request.corpusName ?? "", "--track", query.track]
            + ["--at", "\(query.startSeconds)", "--length", formatNumber(query.lengthSeconds)]
            + ["--chain", query.chain.json] + matcher(request.matcher)
    }

    /// What runs a shard into a folder.
    static func evaluate(_ request: RunRequest, shard: Shard, folder: String) -> String {
        line(
            ["earshot", "evaluate"] + plan(request) + matcher(request.matcher)
                + ["--shard", "\(shard)", "--output", folder])
    }

    /// Words as one types them.
    static func line(_ words: [String]) -> String { words.map(ShellWord.quoted).joined(separator: " ") }
}

extension RunCommands {
    init(_ request: RunRequest) {
        let plan = CommandText.plan(request)
        let matcher = CommandText.matcher(request.matcher)
        self.init(
            writeQuery: { trial in
                CommandText.line(["earshot", "degrade"] + plan + ["--trial", trial, "--output", "replay"])
            },
            tryTrial: CommandText.line(["earshot", "try"] + plan + matcher + ["--trial"]) + " ",
            matcher: CommandText.line(matcher))
    }
}
