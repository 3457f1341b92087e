import ArgumentParser
import AudioIO
import Corpora
import Foundation
import MatcherAdapters
import SystemIO

struct CorpusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corpus", abstract: "Fetch, list, check and lock corpora of recordings",
        subcommands: [
            Fetch.self, List.self, Verify.self, Path.self, Export.self, Card.self, Lock.self, Audit.self,
        ])

    struct Options: ParsableArguments {
        @Argument(help: "The corpus: the name of a recipe without .yaml.", completion: .corpora)
        var name: String
        @OptionGroup var recipes: RecipeOptions

        func library() throws -> CorpusLibrary { try recipes.library() }

        func corpus() throws -> Corpus { try Corpus.open(named: name, in: library()) }
    }

    struct SourceOptions: ParsableArguments {
        @Option(help: "Take packages from the .deb files in this folder instead of the Debian archive.")
        var packages: String?

        func fetcher(_ library: CorpusLibrary) -> CorpusFetcher {
            let source: any PackageSource =
                if let packages { FolderPackageSource(path: packages) } else { AptPackageSource() }
            return CorpusFetcher(library: library, source: source, progress: FetchDisplay().show)
        }
    }

    struct Fetch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Download missing files to the cache, and compare checksums with the lock",
            discussion:
                "Exit code 69: there is no apt-get, no network or no such package. The corpus synthetic needs none."
        )

        @OptionGroup var options: Options
        @OptionGroup var packages: SourceOptions

        func run() async throws {
            let library = try options.library()
            try await packages.fetcher(library).fetch(library.recipe(named: options.name))
            let corpus = try options.corpus()
            try StandardOutput.print(
                "\(corpus.name): \(corpus.tracks.count.counting("track")), lock \(corpus.lockDigest.prefix(12))"
            )
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the corpora, or the tracks of one: role, seconds, rate, channels, class, id",
            discussion: "The columns are aligned on a terminal and separated by tabs elsewhere.")

        @Argument(
            help: "The corpus: the name of a recipe without .yaml. (default: list all corpora)",
            completion: .corpora)
        var name: String?
        @OptionGroup var recipes: RecipeOptions
        @OptionGroup var form: TableOptions

        func run() throws {
            let library = try recipes.library()
            guard let name else { return try list(library) }
            let corpus = try Corpus.open(named: name, in: library)
            let rows = corpus.tracks.map { track in
                let seconds = (track.durationSeconds * 10).rounded() / 10
                return [
                    "\(track.role)", "\(seconds)", "\(track.sampleRate)", "\(track.channelCount)",
                    track.classID, track.id,
                ]
            }
            try form.print(
                ["role", "seconds", "rate", "channels", "class", "id"], rows, flushRight: [1, 2, 3])
            StandardError.print(CorpusSummary(corpus).description)
        }

        private func list(_ library: CorpusLibrary) throws {
            let rows = try library.names().map { name in
                let recipe = try library.recipe(named: name)
                let isFetched = (try? Corpus.open(named: name, in: library)) != nil
                return [name, isFetched ? "yes" : "no", recipe.description]
            }
            try form.print(["corpus", "fetched", "description"], rows)
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compute the checksum of every cached file and compare it with the lock")

        @OptionGroup var options: Options

        func run() throws {
            let corpus = try options.corpus()
            try corpus.verify()
            try StandardOutput.print(
                "\(corpus.name): \(corpus.lock.files.count.counting("file is", "files are")) as locked, lock \(corpus.lockDigest)"
            )
        }
    }

    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the absolute path of every track's file")

        @OptionGroup var options: Options

        func run() throws {
            let corpus = try options.corpus()
            let paths = corpus.tracks.compactMap(\.path)
            guard !paths.isEmpty else {
                throw CorpusError(
                    .unreadable,
                    "\(corpus.name) is made on this machine and has no files; `earshot corpus export \(corpus.name)` writes them"
                )
            }
            for path in paths { try StandardOutput.print(path) }
        }
    }

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write the recordings of a corpus as FLAC files",
            discussion:
                "The corpus `synthetic` is made by a formula, so this gives music where there is none.")

        @OptionGroup var options: Options
        @OptionGroup var target: FolderOptions
        @Option(help: "Write only this many recordings.")
        var count: Int?

        func validate() throws { try require("--count", count, in: 1...1_000_000) }

        func run() throws {
            let corpus = try options.corpus()
            try corpus.requireOutside(target.output)
            guard let flac = AudioEncoding("flac-16") else { throw CommandError(description: "no FLAC here") }
            let progress = ProgressDisplay()
            let tracks = corpus.tracks.prefix(count ?? corpus.tracks.count)
            for (number, track) in tracks.enumerated() {
                let path = "\(target.output)/\(PathText.unescaped(track.id)).flac"
                try FileTree.createFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
                try AudioFile.write(corpus.audio(of: track), to: path, as: flac)
                progress.show("recordings", done: number + 1, of: tracks.count)
            }
            try StandardOutput.print(target.output)
        }
    }

    struct Card: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a card of a corpus for catalogs of data sets",
            discussion: """
                The card is JSON-LD in the format Croissant 1.0. It has the licence, the checksum of every file, and a \
                row for each recording. Nothing is fetched. `mlcroissant validate --jsonld FILE` checks it.
                """)

        @OptionGroup var options: Options

        func run() throws {
            let library = try options.library()
            let recipe = try library.recipe(named: options.name)
            let card = CroissantCard(recipe: recipe, lock: try library.lock(of: recipe))
            try StandardOutput.write(card.json())
        }
    }

    struct Lock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the lock of a corpus after its recipe changed",
            discussion: """
                Fetches the packages of the recipe unchecked, reads every file and compares all music with all other \
                music. Writes NAME.lock beside the recipe. Prints the recordings that share audio.
                """)

        @OptionGroup var options: Options
        @OptionGroup var packages: SourceOptions

        func run() async throws {
            let library = try options.library()
            let recipe = try library.recipe(named: options.name)
            try reject(
                if: recipe.folder != nil,
                "the lock of a folder is kept in the cache and made again when the folder changes")
            let locker = CorpusLocker(fetcher: packages.fetcher(library), progress: StandardError.print)
            let outcome = try await locker.lock(recipe, matcher: Contestants.earshot.make())
            for line in outcome.findings?.lines ?? [] { try StandardOutput.print(line) }
            try AtomicFile.write(outcome.lock.text, to: library.lockPath(named: recipe.name))
            try StandardOutput.print(
                "\(recipe.name): \(outcome.lock.files.count.counting("file")) locked as \(outcome.lock.digest)"
            )
        }
    }
}
