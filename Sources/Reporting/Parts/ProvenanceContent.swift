// SPDX-License-Identifier: GPL-3.0-or-later
import Corpora
import Degradations
import Evaluation
import Matchers
import Studies

/// Where the figures of a page come from.
///
/// Every page ends with this block.
struct ProvenanceContent {
    struct Row {
        let name: String
        let value: String
    }

    let rows: [Row]

    /// Rows that only some pages have come after those of all pages.
    private init(
        matcher: RunFacts.Contestant, plan: String, corpus: String, corpusDigest: String, seed: UInt64,
        commit: String, startedAt: String, machine: RunFacts.Machine, versions: [String: String],
        more: [(String, String)]
    ) {
        let memory = NumberText.bytes(Double(machine.memoryBytes))
        self.init(
            [
                ("Matcher", "\(matcher.name) \(matcher.version)"),
                ("Settings", Self.settings(matcher.settings)),
                ("Digest of answers", matcher.digest),
                ("Plan", plan),
                ("Corpus", corpus),
                ("Digest of corpus", corpusDigest),
                ("Seed", String(seed)),
                ("Commit", commit),
                ("Started", startedAt),
                ("Machine", "\(machine.processor), \(machine.logicalCores) logical cores, \(memory)"),
                ("Type of processor", machine.revision ?? ""),
                ("Instructions", (machine.features ?? []).joined(separator: " ")),
                ("System", "\(machine.operatingSystem), kernel \(machine.kernel)"),
                (
                    "Versions",
                    versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(
                        separator: ", ")
                ),
            ] + more)
    }

    private init(_ rows: [(String, String)]) {
        self.rows = rows.map { Row(name: $0.0, value: $0.1.isEmpty ? NumberText.missing : $0.1) }
    }

    init(_ facts: RunFacts, more: [(String, String)] = []) {
        self.init(
            matcher: facts.matcher, plan: "\(facts.planName) (\(facts.planDigest))",
            corpus: "\(facts.corpusName), \(facts.half) half", corpusDigest: facts.corpusDigest,
            seed: facts.seed, commit: facts.commit, startedAt: facts.startedAt, machine: facts.machine,
            versions: facts.toolVersions, more: more)
    }

    /// - Parameter versions: those of this process, unless the measurement stores its own.
    init(_ origin: MeasurementOrigin, versions: [String: String] = DegradationLibraries.versions) {
        self.init(
            matcher: origin.matcher, plan: origin.plan ?? "",
            corpus: "\(origin.corpusName), \(origin.half.rawValue) half", corpusDigest: origin.corpusDigest,
            seed: origin.seed, commit: origin.commit, startedAt: origin.startedAt, machine: origin.machine,
            versions: versions, more: [("Command", origin.commandLine)])
    }

    /// The blocks of several runs in one.
    ///
    /// Where their values differ, each comes after the name of its run.
    init(_ blocks: [ProvenanceContent], names: [String]) {
        rows = (blocks.first?.rows ?? []).indices.map { index in
            let values = blocks.map { $0.rows[index].value }
            let same = Set(values).count == 1
            return Row(
                name: blocks[0].rows[index].name,
                value: same ? values[0] : zip(names, values).map { "\($0): \($1)" }.joined(separator: "; "))
        }
    }

    private static func settings(_ settings: [String: String]) -> String {
        settings.isEmpty
            ? "none"
            : settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
    }
}
