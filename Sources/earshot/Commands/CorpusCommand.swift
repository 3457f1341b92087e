import ArgumentParser
import Corpora
import SystemIO

struct CorpusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corpus", abstract: "Fetch, list, check and lock corpora of recordings",
        subcommands: [Fetch.self, List.self, Verify.self, Path.self, Lock.self, Audit.self])

    /// What all of them take.
    struct Options: ParsableArguments {
        @Argument(help: "The corpus: the name of a recipe without .yaml.")
        var name: String

        @Option(help: "The folder of recipes (default: EARSHOT_CORPORA, else Corpora here or above).")
        var corpora: String?

        func library() throws -> CorpusLibrary { try CorpusLibrary.standard(corpora) }
    }

    /// Where packages come from.
    struct SourceOptions: ParsableArguments {
        @Option(help: "Take packages from the .deb files in this folder instead of the Debian archive.")
        var packages: String?

        var source: any PackageSource {
            if let packages { FolderPackageSource(path: packages) } else { AptPackageSource() }
        }
    }

    struct Fetch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Download what is missing into the cache; checksums are compared with the lock",
            discussion:
                "Exit code 69: there is no apt-get, no network or no such package; try the corpus synthetic.")

        @OptionGroup var options: Options
        @OptionGroup var packages: SourceOptions

        func run() async throws {
            let library = try options.library()
            let recipe = try library.recipe(named: options.name)
            let display = FetchDisplay()
            let fetcher = CorpusFetcher(library: library, source: packages.source, progress: display.show)
            do {
                try await fetcher.fetch(recipe)
            } catch let error as CorpusError where error.code == .unavailable {
                StandardError.print("Error: \(error)")
                throw ExitCode(69)
            }
            let corpus = try Corpus.open(named: options.name, in: library)
            try StandardOutput.print(
                "\(corpus.name): \(corpus.tracks.count.counting("track")), lock \(corpus.lockDigest.prefix(12))"
            )
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print one line per track: role, seconds, rate, channels, class, id; tab-separated")

        @OptionGroup var options: Options

        func run() async throws {
            let corpus = try Corpus.open(named: options.name, in: options.library())
            try StandardOutput.print("role\tseconds\trate\tchannels\tclass\tid")
            for track in corpus.tracks {
                let seconds = (track.durationSeconds * 10).rounded() / 10
                try StandardOutput.print(
                    "\(track.role)\t\(seconds)\t\(track.sampleRate)\t\(track.channelCount)\t\(track.classID)"
                        + "\t\(track.id)")
            }
            let summary = CorpusSummary(corpus)
            StandardError.print(summary.description)
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compute the checksum of every cached file and compare it with the lock")

        @OptionGroup var options: Options

        func run() async throws {
            let corpus = try Corpus.open(named: options.name, in: options.library())
            try corpus.verify()
            try StandardOutput.print(
                "\(corpus.name): \(corpus.lock.files.count.counting("file is", "files are")) as locked, lock \(corpus.lockDigest)"
            )
        }
    }

    struct Path: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the absolute path of every track's file, one a line")

        @OptionGroup var options: Options

        func run() async throws {
            let corpus = try Corpus.open(named: options.name, in: options.library())
            let paths = corpus.tracks.compactMap(\.path)
            guard !paths.isEmpty else {
                throw CorpusError(.unreadable, "\(corpus.name) is made by a formula and has no files")
            }
            for path in paths { try StandardOutput.print(path) }
        }
    }
}
