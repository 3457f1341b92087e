import AudioCore
import Corpora
import Degradations
import Foundation
import Matchers

/// Recorded queries and their references, from which a plan is made.
package struct RecordedQueries: Sendable {
    package let list: QueryList
    package private(set) var corpus: Corpus
    package private(set) var queries: [(query: RecordedQuery, cell: Cell)]

    /// Opens a list and everything it names.
    ///
    /// - Parameters:
    ///   - list: The path of a list in one of the forms of ``QueryList``.
    ///   - references: The folder of the references.
    ///   - referenceList: A file with the names of those to enrol, one a line; nil enrols all.
    ///   - queryFolder: The folder of the queries; nil takes the folder of the list.
    /// - Throws: ``ConfigurationError`` with line and column for a mistake in a list or a missing reference.
    ///   ``CorpusError`` when there is no reference or no query at all. A single unreadable file only fails its
    ///   trial.
    package init(
        list path: String, references: String, referenceList: String? = nil, queryFolder: String? = nil,
        library: CorpusLibrary
    ) throws {
        list = try QueryList(path: path)
        let folder = queryFolder ?? URL(fileURLWithPath: path).deletingLastPathComponent().path
        let measured = Set(list.entries.filter { $0.lengthSeconds == nil && $0.part == nil }.map(\.query))
        let files = try QueryFiles(
            Set(list.entries.map(\.query)).sorted(), measured: measured, in: folder, library: library)
        // Comparing the references with each other takes minutes, so it comes after what is quickly found to be wrong.
        let all = try Corpus(recipe: CorpusRecipe(folder: references, minimumSeconds: 0), library: library)
        let names = ReferenceNames(all, folder: references)
        corpus = try referenceList.map { try all.enrolling(names.listed(in: $0)) } ?? all.enrolling(nil)
        let (list, corpus) = (self.list, self.corpus)
        let enrolled = Set(corpus.tracks.map(\.id))
        queries = try list.entries.map { entry in
            let file = files.file(entry.query)
            var query = RecordedQuery(
                name: entry.query, path: file?.path, sha256: file?.sha256, part: entry.part, rights: [],
                truth: entry.truth, problem: files.problem(entry.query))
            // A list of another program may mean something else by the column.
            query.chain = entry.chain.flatMap { try? DegradationChain(json: $0) } ?? DegradationChain()
            query.seconds =
                entry.part.map { $0.upperBound - $0.lowerBound } ?? file?.seconds ?? entry.lengthSeconds
            var reasons: [String] = []
            for right in entry.rightsInOrder {
                switch try names.track(of: right, in: list) {
                case .success(let id) where enrolled.contains(id):
                    query.rights.append(.init(id: id, offsetSeconds: right.offsetSeconds))
                case .success(let id): reasons.append("its reference \(id) is not enrolled")
                case .failure(let error): reasons.append(error.description)
                }
            }
            // One right reference that can be used is enough.
            if query.rights.isEmpty, let reason = reasons.first {
                query.isUnusable = true
                query.problem = query.problem ?? reason
            }
            query.truth.offsetSeconds = query.rights.first?.offsetSeconds
            return (query, entry.cell(seconds: query.seconds))
        }
    }

    /// The queries of one half, or all, with a corpus in which all right references of a query are in one class.
    ///
    /// So a query can be left out, or held out, with all its right references. A class is in the half that
    /// `SplitRule` gives it. Without a right reference, the content of the file decides. A corpus that is too small to divide
    /// keeps all queries.
    package func joined(half: CorpusHalf?) -> RecordedQueries {
        var joined = self
        let tracks = Dictionary(uniqueKeysWithValues: corpus.tracks.map { ($0.id, $0) })
        var classes = EquivalenceClasses(ids: corpus.tracks.map(\.classID))
        for (query, _) in queries {
            let ids = query.rights.compactMap { tracks[$0.id]?.classID }
            for id in ids.dropFirst() { classes.join(ids[0], id, offsetSeconds: nil) }
        }
        let halves = Dictionary(
            corpus.tracks.map { ($0.classID, $0.half) }, uniquingKeysWith: { first, _ in first })
        joined.corpus.tracks = corpus.tracks.map { track in
            var track = track
            track.classID = classes.classID(of: track.classID)
            track.half = halves[track.classID] ?? track.half
            if half != nil, corpus.isDivided { track.role = .enrolled(track.half) }
            return track
        }
        guard let half, corpus.isDivided else { return joined }
        let own = Dictionary(uniqueKeysWithValues: joined.corpus.tracks.map { ($0.id, $0.half) })
        joined.queries = queries.filter { query, _ in
            let known = query.rights.first.flatMap { own[$0.id] }
            return (known ?? query.sha256.flatMap(SplitRule.half) ?? .test) == half
        }
        return joined
    }

    /// At most `count` positives of at least `seconds`, drawn by a seed from as many references as there are.
    package func drawn(_ count: Int, atLeast seconds: Double, seed: UInt64) -> RecordedQueries {
        var generator = SeededGenerator(seed: seed, "recorded queries")
        var turns: [String: Int] = [:]
        let offered = queries.indices.filter {
            queries[$0].query.isUsablePositive && queries[$0].query.seconds ?? 0 >= seconds
        }
        let ranked = offered.shuffled(using: &generator).enumerated().map { rank, index in
            let reference = queries[index].query.rights[0].id
            turns[reference, default: 0] += 1
            return (turn: turns[reference] ?? 0, rank: rank, index: index)
        }
        var drawn = self
        drawn.queries = ranked.sorted { ($0.turn, $0.rank) < ($1.turn, $1.rank) }.prefix(count)
            .map(\.index).sorted().map { queries[$0] }
        return drawn
    }
}

extension QueryList.Entry {
    fileprivate var rightsInOrder: [QueryList.Right] {
        rights.filter { $0.offsetSeconds != nil } + rights.filter { $0.offsetSeconds == nil }
    }

    fileprivate var truth: Truth {
        Truth(
            offsetSeconds: nil, frequencySkew: frequencySkew, timeSkew: timeSkew, skewChangePerSecond: 0,
            offsetToleranceSeconds: offsetToleranceSeconds)
    }

    /// The cell of the query.
    ///
    /// Similar lengths share a cell where the list states none: those near 10 s are in the cell of 10 s.
    fileprivate func cell(seconds: Double?) -> Cell {
        Cell(
            degradation: degradation.isEmpty ? "recorded" : degradation, severity: severity,
            severityValue: severityValue, lengthSeconds: lengthSeconds ?? Self.rounded(seconds ?? 0))
    }

    /// The nearest by ratio of 1, 2, 5, 10, 20, 50 and so on; 0 for nothing.
    private static func rounded(_ seconds: Double) -> Double {
        guard seconds > 0 else { return 0 }
        let steps = (-2...5).flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
        let nearest = steps.min { abs(log(seconds / $0)) < abs(log(seconds / $1)) } ?? seconds
        // Powers of ten below 1 are not exact; cells are called by their number.
        return (nearest * 1000).rounded() / 1000
    }
}

extension Corpus {
    /// Enrols these tracks alone, all in one half; nil enrols all tracks.
    fileprivate func enrolling(_ ids: Set<String>?) throws -> Corpus {
        var corpus = self
        corpus.tracks = tracks.filter { ids?.contains($0.id) ?? true }.map { track in
            var track = track
            track.role = .enrolled(.test)
            track.classMembers = track.classMembers.filter { ids?.contains($0.id) ?? true }
            return track
        }
        if corpus.tracks.isEmpty {
            throw CorpusError(.unreadable, "\(recipe.folder?.path ?? name): no reference is enrolled")
        }
        return corpus
    }
}
