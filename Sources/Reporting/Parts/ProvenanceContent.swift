// SPDX-License-Identifier: GPL-3.0-or-later
import Corpora
import Evaluation

/// Where the figures of a page come from: the block that ends every page.
struct ProvenanceContent {
    let rows: [(name: String, value: String)]

    /// - Parameter more: rows that only some pages have.
    init(_ provenance: Provenance, more: [(String, String)] = []) {
        let (matcher, machine) = (provenance.matcher, provenance.machine)
        let memory = NumberText.bytes(Double(machine.memoryBytes))
        let plan = provenance.planName.isEmpty ? "" : "\(provenance.planName) (\(provenance.planDigest))"
        let versions = provenance.toolVersions.sorted { $0.key < $1.key }
        self.init(
            [
                ("Matcher", "\(matcher.name) \(matcher.version)"),
                ("Settings", matcher.settings.isEmpty ? "none" : Self.list(matcher.settings)),
                ("Digest of answers", matcher.digest),
                ("Plan", plan),
                ("Corpus", "\(provenance.corpusName), \(provenance.half.rawValue) half"),
                ("Digest of corpus", provenance.corpusDigest),
                ("Seed", String(provenance.seed)),
                (
                    "Request",
                    (try? JSONText.encoder().encode(provenance.request)).map {
                        String(decoding: $0, as: UTF8.self)
                    } ?? ""
                ),
                ("Commit", provenance.commit),
                ("Started", provenance.startedAt),
                ("Machine", "\(machine.processor), \(machine.logicalCores) logical cores, \(memory)"),
                ("Type of processor", machine.revision ?? ""),
                ("Instructions", (machine.features ?? []).joined(separator: " ")),
                ("System", "\(machine.operatingSystem), kernel \(machine.kernel)"),
                ("Versions", versions.map { "\($0.key) \($0.value)" }.joined(separator: ", ")),
                ("Answers from the cache", provenance.cachedAnswers.map(NumberText.count) ?? ""),
            ] + more)
    }

    private init(_ rows: [(String, String)]) {
        self.rows = rows.map { ($0.0, $0.1.isEmpty ? NumberText.missing : $0.1) }
    }

    /// The blocks of several runs in one; values that differ come after the names of their runs.
    init(_ blocks: [ProvenanceContent], names: [String]) {
        rows = (blocks.first?.rows ?? []).indices.map { index in
            let values = blocks.map { $0.rows[index].value }
            let same = Set(values).count == 1
            let joined = zip(names, values).map { "\($0): \($1)" }.joined(separator: "; ")
            return (blocks[0].rows[index].name, same ? values[0] : joined)
        }
    }

    /// The first digits of a commit or digest, with the `+` at its end.
    static func short(_ digest: String) -> String {
        guard digest.count > 16 else { return digest }
        return String(digest.prefix(12)) + (digest.hasSuffix("+") ? "+" : "")
    }

    /// Settings by name, as `name = value`.
    static func list(_ settings: [String: String]) -> String {
        settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
    }
}
