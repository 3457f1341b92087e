import ArgumentParser
import Corpora
import MatcherAdapters
import SystemIO

extension CorpusCommand {
    struct Lock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the lock of a corpus after its recipe changed",
            discussion: """
                Fetches what the recipe names now, unchecked, reads every file, compares all music with all \
                other music and writes NAME.lock beside the recipe. Prints what shares audio.
                """)

        @OptionGroup var options: Options
        @OptionGroup var packages: SourceOptions

        func run() async throws {
            let library = try options.library()
            let recipe = try library.recipe(named: options.name)
            if recipe.folder != nil {
                throw ValidationError(
                    "the lock of a folder is kept in the cache and made again when the folder changes")
            }
            let fetcher = CorpusFetcher(
                library: library, source: packages.source, progress: FetchDisplay().show)
            let outcome = try await CorpusLocker(fetcher: fetcher) { StandardError.print($0) }
                .lock(recipe, matcher: try Contestants.earshot.make())
            if let findings = outcome.findings { try report(findings) }
            try AtomicFile.write(outcome.lock.text, to: library.lockPath(named: recipe.name))
            try StandardOutput.print(
                "\(recipe.name): \(outcome.lock.files.count.counting("file")) locked as \(outcome.lock.digest)"
            )
        }

        private func report(_ findings: EquivalenceAudit.Findings) throws {
            try StandardOutput.print(
                "\(findings.windows.counting("window")), \(findings.suspects.counting("pair")) suspected")
            for link in findings.links {
                let kind = link.isSameRecording ? "same recording" : "shared passage"
                let fields = [
                    kind, link.first, link.second, "offset \(link.offsetSeconds) s",
                    "\(link.agreeingWindows) of \(link.comparedWindows) windows agree",
                    "correlation \(link.coefficient)",
                ]
                try StandardOutput.print(fields.joined(separator: "\t"))
            }
            for pair in findings.refuted {
                let fields = [
                    "different", pair.first, pair.second, "score \(pair.score)",
                    "correlation \(pair.coefficient)",
                ]
                try StandardOutput.print(fields.joined(separator: "\t"))
            }
        }
    }
}
