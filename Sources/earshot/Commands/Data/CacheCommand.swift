import ArgumentParser
import Corpora
import Evaluation
import Reporting

extension CachePart: ExpressibleByArgument {}

struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Show and clear what runs and fetches keep",
        subcommands: [List.self, Clear.self], defaultSubcommand: List.self)

    fileprivate static func size(_ byteCount: Int) -> String {
        TableText.joined([NumberText.bytes(Double(byteCount))])
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the parts of the cache with their size")

        @OptionGroup var form: TableOptions

        func run() throws {
            let library = try CorpusLibrary()
            let rows = CachePart.allCases.map { part in
                [part.rawValue, CacheCommand.size(part.byteCount(in: library)), part.description]
            }
            try form.print(["part", "size", "description"], rows, flushRight: [1])
            StandardError.print("The cache is \(library.cacheFolder).")
        }
    }

    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove parts of the cache",
            discussion: "Runs make queries, answers and folders again, and packages are downloaded again.")

        @Argument(
            help: "The parts to remove: \(CachePart.allCases.map(\.rawValue).joined(separator: ", ")).")
        var parts: [CachePart]

        func run() throws {
            let library = try CorpusLibrary()
            for part in parts {
                let before = part.byteCount(in: library)
                try part.clear(in: library)
                let freed = max(0, before - part.byteCount(in: library))
                try StandardOutput.print("\(part.rawValue): \(CacheCommand.size(freed)) removed")
            }
        }
    }
}

extension CachePart {
    fileprivate var description: String {
        switch self {
        case .queries: "rendered queries, as many as --cache-gigabytes of a run allows"
        case .answers: "answers of matchers, and facts of queries"
        case .packages: "recordings of corpora; `earshot corpus fetch` downloads them"
        case .decoded: "what ffmpeg decoded of these recordings, and music made by a formula"
        case .folders: "checksums and locks of folders of recordings"
        }
    }
}
