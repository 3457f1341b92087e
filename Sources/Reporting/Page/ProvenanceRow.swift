/// A fact about the run.
struct ProvenanceRow {
    let name: String
    let value: String

    static func all(_ model: ReportModel) -> [ProvenanceRow] {
        let facts = model.facts
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
            ("Run time", "\(NumberText.seconds(facts.wallSeconds)) with \(facts.jobs) at a time"),
            ("Throughput", StageShares(facts)?.words ?? ""),
            ("Trials in the plan", NumberText.count(facts.trialCount)),
            ("Machine", "\(machine.processor), \(machine.logicalCores) logical cores, \(memory)"),
            ("System", "\(machine.operatingSystem), kernel \(machine.kernel)"),
            ("Tools", tools.joined(separator: ", ")),
        ]
        return rows.map { ProvenanceRow(name: $0.0, value: $0.1.isEmpty ? NumberText.missing : $0.1) }
    }
}
