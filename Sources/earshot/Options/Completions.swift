import ArgumentParser
import Corpora
import Foundation
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

    /// The names of the files with an extension in a folder of `Reports`, as ``reportFile(_:in:extension:)`` takes them.
    static func reportFiles(in folder: String, extension suffix: String) -> CompletionKind {
        .custom { _, _, _ in
            let files = (try? FileManager.default.contentsOfDirectory(atPath: "Reports/\(folder)")) ?? []
            return files.filter { $0.hasSuffix(".\(suffix)") }.map { String($0.dropLast(suffix.count + 1)) }
        }
    }
}
