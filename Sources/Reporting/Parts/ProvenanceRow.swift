import Corpora
import Evaluation
import Matchers

/// A fact about the run.
struct ProvenanceRow {
    let name: String
    let value: String

    static func all(_ model: ReportModel) -> [ProvenanceRow] { all(model.facts) }

    static func all(_ facts: RunFacts) -> [ProvenanceRow] {
        let threshold =
            facts.scoreThreshold.map { "score \(NumberText.plain($0)) or more" }
            ?? "the matcher's own decision"
        let settings = facts.matcher.settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        let machine = facts.machine
        let memory = NumberText.bytes(Double(machine.memoryBytes))
        let tools = facts.toolVersions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let rows: [(String, String)] = [
            ("Matcher", "\(facts.matcher.name) \(facts.matcher.version)"),
            ("Settings", settings.isEmpty ? "none" : settings.joined(separator: ", ")),
            ("Digest of answers", facts.matcher.digest),
            ("Operating point", threshold),
            ("Plan", "\(facts.planName) (\(facts.planPath))"),
            ("Digest of plan", facts.planDigest),
            ("Seed", String(facts.seed)),
            ("Corpus", "\(facts.corpusName), \(facts.half) half"),
            ("Digest of corpus", facts.corpusDigest),
            (
                "References",
                "\(NumberText.count(facts.referenceCount)), \(NumberText.seconds(facts.referenceSeconds)) in all"
            ),
            ("Commit", facts.commit),
            ("Started", facts.startedAt),
            ("Run time", runTime(facts)),
            ("Throughput", StageShares(facts)?.words ?? ""),
            ("Trials in the plan", NumberText.count(facts.trialCount)),
            ("Shard", facts.shard.map { share($0, of: facts.trialCount) } ?? "all"),
            ("Machine", "\(machine.processor), \(machine.logicalCores) logical cores, \(memory)"),
            ("Type of processor", machine.revision ?? ""),
            ("Instructions", (machine.features ?? []).joined(separator: " ")),
            ("System", "\(machine.operatingSystem), kernel \(machine.kernel)"),
            ("Tools", tools.joined(separator: ", ")),
        ]
        return rows.map { ProvenanceRow(name: $0.0, value: $0.1.isEmpty ? NumberText.missing : $0.1) }
    }

    private static func share(_ shard: Shard, of trialCount: Int) -> String {
        "\(shard): \(NumberText.count(shard.size(of: trialCount))) trials"
    }

    private static func runTime(_ facts: RunFacts) -> String {
        let jobs = "with \(facts.jobs) at a time"
        guard let parts = facts.mergedFrom, let longest = parts.map(\.longestSeconds).max() else {
            return "\(NumberText.seconds(facts.wallSeconds)) \(jobs)"
        }
        let places = parts.map { part in
            "\(part.machine.processor) with \(part.machine.logicalCores) cores: shards \(numberRanges(part.shards))"
        }
        return
            "\(NumberText.seconds(facts.wallSeconds)) in all shards together, \(NumberText.seconds(longest)) in the "
            + "longest, \(jobs) (\(places.joined(separator: "; ")))"
    }
}
