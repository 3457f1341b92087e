// SPDX-License-Identifier: GPL-3.0-or-later
import Corpora
import Evaluation

/// Where the figures of a page come from: the block that ends every page.
struct ProvenanceContent {
    let rows: [(name: String, value: String)]
    /// Rows that open on a click.
    let details: [(name: String, value: String)]

    private static let detailed: Set = [
        "Settings", "Digest of answers", "Digest of its program", "Digest of corpus", "Request",
        "Digest of earshot", "Machine", "Type of processor", "Instructions", "System", "Versions",
        "Plan file",
        "Operating point", "References", "Throughput", "Trials in the plan",
    ]

    /// - Parameter more: rows that only some pages have.
    init(_ provenance: Provenance, more: [(String, String)] = []) {
        let (matcher, machine) = (provenance.matcher, provenance.machine)
        let memory = NumberText.bytes(Double(machine.memoryBytes))
        let plan =
            provenance.planName.isEmpty ? "" : "\(provenance.planName) (\(Self.short(provenance.planDigest)))"
        let versions = provenance.toolVersions.sorted { $0.key < $1.key }
        self.init(
            [
                ("Matcher", "\(matcher.name) \(matcher.version)"),
                ("Changed settings", Self.changed(provenance.request)),
                ("Settings", matcher.settings.isEmpty ? "none" : Self.list(matcher.settings)),
                ("Digest of answers", matcher.digest),
                ("Digest of its program", matcher.codeDigest ?? ""),
                ("Plan", plan),
                ("Corpus", "\(provenance.corpusName), \(provenance.half.rawValue) half"),
                ("Digest of corpus", provenance.corpusDigest),
                ("Seed", String(provenance.seed)),
                ("Request", Self.words(provenance.request)),
                ("Commit of the working folder", provenance.commit),
                ("Digest of earshot", provenance.executableDigest ?? ""),
                ("Started", provenance.startedAt),
                ("Machine", "\(machine.processor), \(machine.logicalCores) logical cores, \(memory)"),
                ("Type of processor", machine.revision ?? ""),
                ("Instructions", (machine.features ?? []).joined(separator: " ")),
                ("System", "\(machine.operatingSystem), kernel \(machine.kernel)"),
                ("Versions", versions.map { "\($0.key) \($0.value)" }.joined(separator: ", ")),
                ("Answers from the cache", Self.cached(provenance)),
            ] + more)
    }

    /// - Parameter long: names of more rows that open on a click.
    private init(_ all: [(String, String)], long: Set<String> = []) {
        let detailed = Self.detailed.union(long)
        let all = all.map { (name: $0.0, value: $0.1.isEmpty ? NumberText.missing : $0.1) }
        rows = all.filter { !detailed.contains($0.name) }
        details = all.filter { detailed.contains($0.name) }
    }

    /// What differs from the matcher's standard.
    private static func changed(_ request: RunRequest) -> String {
        let settings = request.matcher.settings
        return settings.isEmpty
            ? "none" : settings.map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
    }

    /// A search of files, without plan, corpus and seed.
    init(withoutPlan provenance: Provenance) {
        let drawn: Set = ["Plan", "Corpus", "Digest of corpus", "Seed", "Request", "Answers from the cache"]
        let all = Self(provenance)
        rows = all.rows.filter { !drawn.contains($0.name) }
        details = all.details.filter { !drawn.contains($0.name) }
    }

    /// The blocks of several runs in one; values that differ come after the names of their runs.
    init(_ blocks: [ProvenanceContent], names: [String]) {
        let all = blocks.map { $0.rows + $0.details }
        var long: Set<String> = []
        let merged = (all.first ?? []).enumerated().map { index, row in
            let values = zip(names, all).grouped { $1[index].value }
            if values.count > Self.mostValues { long.insert(row.name) }
            let named = values.map { value, runs in
                "\(runs.map(\.0).joined(separator: ", ")): \(value)"
            }
            return (row.name, values.count == 1 ? row.value : named.joined(separator: "; "))
        }
        self.init(merged, long: long)
    }

    /// The most different values of a row that is not folded.
    private static let mostValues = 3

    private static func cached(_ provenance: Provenance) -> String {
        let commits = (provenance.cacheCommits ?? []).joined(separator: ", ")
        return (provenance.cachedAnswers.map(\.text) ?? "")
            + (commits.isEmpty ? "" : ", given by runs at commit \(commits)")
    }

    /// What was asked for, as `plan: smoke, positives: 6`; the plan's file says the rest.
    private static func words(_ request: RunRequest) -> String {
        let (recorded, program) = (request.recorded, request.matcher.program)
        let limits = program?.limits
        let parts: [(name: String, value: Any?)] = [
            ("plan", recorded == nil ? request.plan : nil),
            ("queries", recorded?.list), ("query folder", recorded?.queryFolder),
            ("references", recorded?.references), ("reference list", recorded?.referenceList),
            ("corpus", request.corpus), ("folder", request.folder), ("half", request.half?.rawValue),
            ("seed", request.seed), ("positives", request.positives), ("negatives", request.negatives),
            ("negative folds", request.negativeFolds), ("start shift", request.startShift),
            ("queries", request.queries),
            ("axes", request.axes.isEmpty ? nil : request.axes.joined(separator: " and ")),
            ("recipes", request.recipeFolder), ("matcher", program?.command ?? request.matcher.name),
            ("seconds to answer", limits?.querySeconds), ("to start", limits?.startSeconds),
            ("to enrol", limits?.enrolSeconds), ("to get ready", limits?.readySeconds),
            ("gigabytes", limits?.memoryGigabytes),
        ]
        let settings = request.matcher.settings.map { "\($0.name) = \($0.value)" }
        return (parts.compactMap { name, value in value.map { "\(name): \($0)" } } + settings)
            .joined(separator: ", ")
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
