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
    /// - Parameters:
    ///   - half: The half whose queries are asked; nil asks all.
    ///   - folds: Asks each positive also without its right references, as a negative.
    ///   - seed: Decides which trials are timed, nothing else.
    package init(
        _ recorded: RecordedQueries, half: CorpusHalf? = nil, negativeFolds folds: NegativeFolds? = nil,
        seed: UInt64 = 1
    ) throws {
        let recorded = half == nil && folds == nil ? recorded : recorded.joined(half: half)
        let path = recorded.list.path
        let stem = FileNames.stem(URL(fileURLWithPath: path).lastPathComponent)
        trials = Self.trials(recorded, folds)
        if trials.isEmpty {
            throw ConfigurationError(file: path, line: nil, message: "no query is left to be asked")
        }
        let hash = Digest()
        for trial in trials {
            guard let query = trial.recorded else { continue }
            let parts =
                [trial.id, query.sha256 ?? query.problem ?? "unreadable"] + query.truthParts
                + (trial.fold.map { ["without fold \($0) of \(folds?.count ?? 0)"] } ?? [])
            hash.update((parts.joined(separator: "\n") + "\n"))
        }
        let short = slug(stem)
        let head = PlanHead(
            path: path, digest: hash.finalize().hexadecimal,
            name: short.isEmpty ? "queries" : "queries-\(short)", corpus: recorded.corpus.name,
            half: half ?? .test, seed: seed)
        file = PlanFile(head, negativeFolds: folds, latencyTrials: 500)
        self.half = recorded.corpus.isDivided ? half ?? .test : .test
        self.seed = seed
        corpus = recorded.corpus
        leftOut = []
        self.recorded = recorded
        // Nothing is mixed in.
        recipe = QueryRecipe(corpus: corpus, material: nil)
        (queries, trialDigests) = try Self.queries(
            trials, recipe, file, catalog: Self.catalog(corpus, file, self.half))
        let enrolled = corpus.tracks.map(\.id).sorted().joined(separator: "\n")
        let identity = [file.digest, corpus.lockDigest, enrolled, String(seed)] + Self.lines(queries)
        digest = Digest.sha256(identity.joined(separator: "\n"))
        panelDigest = digest
    }

    private static func trials(_ recorded: RecordedQueries, _ folds: NegativeFolds?) -> [Trial] {
        var taken: [String: Int] = [:]
        var trials: [Trial] = []
        func add(_ query: RecordedQuery, _ cell: Cell, _ ending: String = "", fold: Int? = nil) {
            let short = slug(FileNames.stem(query.name.split(separator: "/").last.map(String.init) ?? ""))
            let part = query.part.map { "-at-\(formatNumber($0.lowerBound))s" } ?? ""
            let name = "\(cell.slug)/\(short.isEmpty ? "query" : String(short.prefix(60)))\(part)\(ending)"
            taken[name, default: 0] += 1
            let count = taken[name] ?? 1
            var trial = Trial(
                id: count == 1 ? name : "\(name)~\(count)", index: trials.count, cell: cell,
                isPositive: fold == nil && (!query.rights.isEmpty || query.isUnusable),
                source: query.rights.first?.id, chain: DegradationChain(steps: []), startSeed: 0, fold: fold)
            trial.recorded = query
            trials.append(trial)
        }
        let foldOf = folds.map(recorded.corpus.fold(in:))
        let tracks = Dictionary(uniqueKeysWithValues: recorded.corpus.tracks.map { ($0.id, $0) })
        for (query, cell) in recorded.queries {
            add(query, cell)
            guard query.isUsablePositive, let track = tracks[query.rights[0].id], let fold = foldOf?(track)
            else { continue }
            add(query, cell, "-left-out", fold: fold)
        }
        return trials
    }

    /// The half that recorded queries were chosen by; nil when all are asked.
    private var recordedHalf: CorpusHalf? {
        corpus.tracks.contains { $0.role == .enrolled(half.other) } ? half : nil
    }

    package var recordedNotes: [String] {
        let queries = trials.filter { $0.fold == nil }.compactMap(\.recorded)
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
        if let tags = recorded?.list.tags, !tags.isEmpty {
            notes.append(
                "Columns that name conditions: \(tags.joined(separator: ", ")).")
        }
        if let half = recordedHalf {
            notes.append("Only queries of the \(half.rawValue) half of the references are asked.")
        }
        if let folds = file.negativeFolds {
            notes.append(
                "\(trials.count { $0.fold != nil }) negatives are positives that are asked again. They are matched with "
                    + "a catalog without their right references, in \(folds.count) folds.")
        } else if queries.count == positives.count {
            notes.append("There are no negatives: false accepts are not measured.")
        }
        return notes + warnings
    }

    /// Which recorded queries cannot be tried, and why.
    var problemNotes: [String] {
        let problems = trials.filter { $0.fold == nil }.compactMap { $0.recorded?.problem }
        guard !problems.isEmpty else { return [] }
        return [
            "\(problems.count.counting("query", "queries")) cannot be tried: "
                + problems.prefix(8).joined(separator: "; ") + (problems.count > 8 ? "; and more." : ".")
        ]
    }
}
