import Corpora
import SystemIO

/// What a plan is for and how large it is, from its file and the lock of its corpus, without audio.
package struct PlanSummary: Sendable {
    package let name: String
    /// The first sentence of the file's comment.
    package let purpose: String
    /// Nil in a plan of another kind than ``PlanFile``, such as one of passages.
    package let corpus: String?
    /// The number of cells; nil in a plan of another kind.
    package let conditions: Int?
    /// The number of queries, before cells without a recording that is long enough are left out.
    ///
    /// Nil in a plan of another kind, and where it depends on a corpus that is not locked.
    package let queries: Int?

    /// Reads the plan of a name.
    ///
    /// - Throws: ``ConfigurationError`` if its file is no YAML document.
    package init(named name: String, in library: CorpusLibrary) throws {
        let reader = try YAMLReader(path: library.planPath(name))
        self.name = name
        purpose = Self.firstSentence(of: reader.heading)
        let file = try? PlanFile(reader)
        corpus = file?.corpus
        conditions = file?.families.reduce(0) { $0 + $1.members.count }
        queries = file.flatMap { Self.queries(of: $0, in: library) }
    }

    private static func firstSentence(of text: String) -> String {
        let end = text.firstRange(of: ". ")?.lowerBound ?? text.endIndex
        return String(text[..<end]).trimmingSuffix(".")
    }

    private static func queries(of file: PlanFile, in library: CorpusLibrary) -> Int? {
        let quotas = file.families.map { family in
            (
                positives: family.quota(isPositive: true, in: file),
                negatives: family.quota(isPositive: false, in: file), cells: family.members.count,
                isRung: family.rung != nil
            )
        }
        let isFixed = quotas.allSatisfy { !$0.positives.isPerTrack && !$0.negatives.isPerTrack }
        var (enrolled, unknown) = (0, 0)
        if !isFixed {
            guard let corpus = file.corpus, let recipe = try? library.recipe(named: corpus),
                recipe.folder == nil, !recipe.isExam, let lock = try? library.lock(of: recipe)
            else { return nil }
            let tracks = Track.tracks(of: lock) { _ in nil }
            enrolled = tracks.count { $0.role == .enrolled(file.half) }
            unknown = tracks.count {
                $0.role == .negative && $0.half == file.half && $0.rendition == nil
            }
            if file.negativeFolds != nil { unknown += enrolled }
        }
        return quotas.reduce(0) { sum, quota in
            sum + quota.cells
                * (quota.positives.count(tracks: enrolled)
                    + quota.negatives.count(tracks: quota.isRung ? enrolled : unknown))
        }
    }

    /// Processor seconds that a query takes: what the plan `standard` and the built-in matcher need on average.
    private static let secondsAQuery = 0.13

    /// About how many minutes the built-in matcher takes for a number of queries.
    package static func minutes(forQueries count: Int, processors: Int) -> Double {
        Double(count) * secondsAQuery / Double(max(1, processors)) / 60
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        last == suffix ? String(dropLast()) : self
    }
}
