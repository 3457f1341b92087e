import AudioCore
import Corpora
import Degradations
import Foundation
import Matchers
import SystemIO

extension Plan {
    /// A plan of recorded queries: one trial for each query of a list.
    ///
    /// Its identity covers the list, the bytes of every query and the references, but not their paths.
    ///
    /// - Parameter seed: Decides which trials are timed, nothing else.
    package init(_ recorded: RecordedQueries, seed: UInt64 = 1) throws {
        let path = recorded.list.path
        let stem = FileNames.stem(URL(fileURLWithPath: path).lastPathComponent)
        trials = Self.trials(recorded.queries)
        let hash = Digest()
        for trial in trials {
            guard let query = trial.recorded else { continue }
            let rights = query.rights.map { "\($0.id) \(String(describing: $0.offsetSeconds))" }
            let parts = [trial.id, query.sha256 ?? query.problem ?? "unreadable", query.description] + rights
            hash.update((parts.joined(separator: "\n") + "\n"))
        }
        let short = slug(stem)
        file = PlanFile(
            path: path, digest: hash.finalize().hexadecimal,
            name: short.isEmpty ? "queries" : "queries-\(short)",
            corpus: recorded.corpus.name, half: .test, seed: seed, latencyTrials: 500)
        half = .test
        self.seed = seed
        corpus = recorded.corpus
        leftOut = []
        self.recorded = recorded
        // Nothing is mixed in.
        recipe = QueryRecipe(corpus: corpus, material: nil)
        queryDigests = try Self.queryDigests(trials, recipe, file)
        let enrolled = corpus.tracks.map(\.id).sorted().joined(separator: "\n")
        let identity = [file.digest, corpus.lockDigest, enrolled, String(seed)] + Self.lines(queryDigests)
        digest = Digest.sha256(identity.joined(separator: "\n"))
        panelDigest = digest
    }

    private static func trials(_ queries: [(query: RecordedQuery, cell: Cell)]) -> [Trial] {
        var taken: [String: Int] = [:]
        return queries.enumerated().map { index, item in
            let (query, cell) = item
            let short = slug(FileNames.stem(query.name.split(separator: "/").last.map(String.init) ?? ""))
            let part = query.part.map { "-at-\(formatNumber($0.lowerBound))s" } ?? ""
            let name = "\(cell.slug)/\(short.isEmpty ? "query" : String(short.prefix(60)))\(part)"
            taken[name, default: 0] += 1
            let count = taken[name] ?? 1
            var trial = Trial(
                id: count == 1 ? name : "\(name)~\(count)", index: index, cell: cell,
                isPositive: !query.rights.isEmpty || query.isUnusable, source: query.rights.first?.id,
                chain: DegradationChain(steps: []), startSeed: 0)
            trial.recorded = query
            return trial
        }
    }

    package var recordedNotes: [String] {
        let queries = trials.compactMap(\.recorded)
        let positives = queries.filter { !$0.rights.isEmpty }
        func count(_ isKnown: (Truth) -> Bool) -> Int { positives.count { isKnown($0.truth) } }
        let exact = count { $0.offsetSeconds != nil && $0.offsetToleranceSeconds == nil }
        let rough = count { $0.offsetSeconds != nil && $0.offsetToleranceSeconds != nil }
        var notes = [
            "Queries are recordings. Their truth comes from "
                + "\(recorded?.list.format.rawValue ?? "a list"): of \(positives.count) positives \(exact) have an "
                + "exact place in their reference and \(rough) one to about a second; "
                + "\(count { $0.timeSkew != nil }) have a time skew and \(count { $0.frequencySkew != nil }) a "
                + "frequency skew. Missing values are not scored. All references are enrolled."
        ]
        if queries.count == positives.count {
            notes.append("There are no negatives: false accepts are not measured.")
        }
        let problems = queries.compactMap(\.problem)
        if !problems.isEmpty {
            notes.append(
                "\(problems.count) queries cannot be tried: \(problems.prefix(8).joined(separator: "; "))"
                    + (problems.count > 8 ? "; and more." : "."))
        }
        return notes + warnings
    }
}
