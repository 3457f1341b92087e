import Degradations
import Evaluation
import Reporting
import Studies
import SystemIO

/// Spells requests as `earshot …` commands for people to copy; the only place that does.
enum CommandText {
    /// What chooses the plan and its recordings, as a program gets it.
    static func plan(_ request: RunRequest) -> [String] {
        let recorded = request.recorded
        let options = [
            option("--plan", recorded == nil ? request.plan : nil),
            option("--queries", recorded?.list), option("--references", recorded?.references),
            option("--reference-list", recorded?.referenceList),
            option("--query-folder", recorded?.queryFolder),
            option("--corpus", request.corpus), option("--folder", request.folder),
            request.isUndivided == true ? ["--undivided"] : [], option("--half", request.half?.rawValue),
            option("--seed", request.seed),
            option("--positives", request.positives), option("--negatives", request.negatives),
            option("--start-shift", request.startShift),
            option("--negative-folds", request.negativeFolds), option("--chain", request.chain),
            degradations(request), option("--corpora", request.recipeFolder),
        ]
        return options.flatMap(\.self)
    }

    private static func degradations(_ request: RunRequest) -> [String] {
        guard let program = request.degradations else { return [] }
        return ["--degradation-command", program.command]
            + option("--degradation-limit-seconds", program.limitSeconds)
            + (program.variables ?? []).flatMap { ["--degradation-env", $0] }
    }

    private static func option(_ name: String, _ value: (some CustomStringConvertible)?) -> [String] {
        value.map { [name, $0.description] } ?? []
    }

    /// What chooses the matcher; nothing for the standard one.
    static func matcher(_ request: MatcherRequest) -> [String] {
        let name = request.name == MatcherRequest.standardName ? nil : request.name
        let settings = request.settings.flatMap { ["--set", "\($0.name)=\($0.value)"] }
        guard let program = request.program else { return option("--matcher", name) + settings }
        let limits = [
            option("--time-limit-seconds", program.limits.querySeconds),
            option("--start-limit-seconds", program.limits.startSeconds),
            option("--enrol-limit-seconds", program.limits.enrolSeconds),
            option("--ready-limit-seconds", program.limits.readySeconds),
            option("--memory-limit-gigabytes", program.limits.memoryGigabytes),
        ]
        return ["--matcher-command", program.command] + limits.flatMap(\.self) + settings
    }

    /// What puts a query to the matcher of a request, by corpus, place and chain.
    static func tryQuery(_ query: DegradedQuery, _ request: RunRequest) -> [String] {
        ["earshot", "try", "--corpus", request.corpusName ?? ""]
            + option("--half", request.half?.rawValue) + ["--track", query.track]
            + ["--at", "\(query.startSeconds)", "--length", formatNumber(query.lengthSeconds)]
            + ["--chain", query.chain.json] + degradations(request) + matcher(request.matcher)
    }

    /// What runs a shard into a folder.
    static func evaluate(_ request: RunRequest, shard: Shard, folder: String) -> String {
        line(
            ["earshot", "evaluate"] + plan(request) + matcher(request.matcher)
                + ["--shard", "\(shard)", "--output", folder])
    }

    static func line(_ words: [String]) -> String { words.map(ShellWord.quoted).joined(separator: " ") }
}

extension RunCommands {
    init(_ request: RunRequest) {
        let plan = CommandText.plan(request)
        let matcher = CommandText.matcher(request.matcher)
        self.init(
            tryTrial: CommandText.line(["earshot", "try"] + plan + matcher + ["--trial"]) + " ",
            matcher: CommandText.line(matcher))
    }
}
