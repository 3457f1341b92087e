import ArgumentParser
import Corpora
import MatcherAdapters

/// What a shell offers for the names that options take.
extension CompletionKind {
    static var plans: CompletionKind {
        .custom { _, _, _ in (try? CorpusLibrary.standard(nil))?.planNames() ?? [] }
    }

    static var corpora: CompletionKind {
        .custom { _, _, _ in (try? CorpusLibrary.standard(nil).names()) ?? [] }
    }

    static var matchers: CompletionKind { .list(Contestants.all.map(\.name)) }

    static var settings: CompletionKind {
        .custom { _, _, _ in Contestants.all.flatMap(\.tunables).map { "\($0.name)=" } }
    }

    static var catalogs: CompletionKind { .file(extensions: ["earcatalog"]) }

    /// The names of files in a folder of `Reports`.
    static func reportFiles(in folder: String, extension suffix: String) -> CompletionKind {
        .custom { _, _, _ in ReportFile("", in: folder, extension: suffix).known }
    }
}
