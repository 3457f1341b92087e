import ArgumentParser
import Corpora
import Foundation
import MatcherAdapters
import Reporting
import SystemIO

extension CorpusCommand {
    struct Audit: ParsableCommand, DecodingCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Find recordings that share audio: duplicates, shared sections, contaminated noise, repeats",
            discussion: """
                Looks up every 5 s of every recording in all others and compares the waveforms of the answers. Writes \
                NAME.csv and NAME.json, one row for each finding, and prints the new ones. Files that cannot be read \
                are named and skipped. --write-suspects changes the list of suspects; nothing else is changed.
                """)

        @Argument(help: "A corpus: the name of a recipe without .yaml.")
        var name: String?
        @Option(help: "Audit the audio files in this folder, besides NAME. Can be repeated.")
        var folder: [String] = []
        @Option(
            name: .customLong("noise-folder"),
            help: "Audio files that are mixed into queries and must hold no reference. Can be repeated.")
        var noiseFolders: [String] = []
        @Option(
            name: .customLong("with"),
            help: "Another corpus to compare with, as ambience. Can be repeated. Its name precedes its ids.")
        var others: [String] = []
        @OptionGroup var recipes: RecipeOptions
        @Option(name: .shortAndLong, help: "The folder to write to.", completion: .directory)
        var output = "Reports/audits"
        @Flag(help: "Add the new findings to the list of suspects. Judgements there are kept.")
        var writeSuspects = false
        @Option(help: "The list of suspects. (default: NAME.suspects beside the recipe)")
        var suspects: String?
        @Option(help: "Gigabytes of memory for waveforms. (default: half of the machine's)")
        var memoryLimitGigabytes: Double?
        @OptionGroup var decoding: SandboxOptions
        @OptionGroup var search: FolderSearchOptions

        func validate() throws {
            try reject(
                if: name == nil && folder.isEmpty, "name a corpus, or a folder of audio files with --folder")
            try reject(
                if: writeSuspects && name == nil && suspects == nil,
                "--write-suspects needs a corpus or --suspects FILE")
            try require(["--suspects"], with: "--write-suspects")
            try reject(if: name == nil && !others.isEmpty, "--with belongs to a corpus. Name one")
            try require("--memory-limit-gigabytes", memoryLimitGigabytes, atMost: 1_000_000)
        }

        func run() throws {
            let corpus = try name.map { try Corpus.open(named: $0, in: recipes.library()) }
            let limit =
                memoryLimitGigabytes.map { Int($0 * 1e9) } ?? Int(ProcessInfo.processInfo.physicalMemory / 2)
            let audit = EquivalenceAudit(
                matcher: Contestants.auditor(), memoryLimit: limit,
                progress: ProgressDisplay().show)
            let findings = try audit.run(recordings(with: corpus))
            let label = corpus?.name ?? URL(fileURLWithPath: folder[0]).standardizedFileURL.lastPathComponent
            try AuditReport(name: label, findings: findings).publish(to: output)
            if writeSuspects { try write(findings, of: corpus) }
        }

        private func write(_ findings: EquivalenceAudit.Findings, of corpus: Corpus?) throws {
            let usual = try corpus.map {
                try CorpusLibrary(recipeFolder: recipes.corpora).suspectsPath(named: $0.name)
            }
            guard let path = suspects ?? usual else { return }
            let list = try SuspectList.update(path, with: findings.findings)
            let open = list.entries.count { $0.judgement == .open }
            try StandardOutput.print(
                "\(path): \(list.entries.count.counting("pair")), \(open) not judged yet")
        }

        private func recordings(with corpus: Corpus?) throws -> [EquivalenceAudit.Recording] {
            var recordings = corpus?.auditRecordings() ?? []
            for other in others {
                let opened = try Corpus.open(named: other, in: recipes.library())
                recordings += opened.auditRecordings(prefix: other + ":")
            }
            recordings += try EquivalenceAudit.Recording.files(
                under: folder, as: .reference, leavingOut: search.note)
            recordings += try EquivalenceAudit.Recording.files(
                under: noiseFolders, as: .noise, leavingOut: search.note)
            guard recordings.count > 0 else {
                throw CorpusError(.unreadable, "\(folder.joined(separator: ", ")): there is no audio file")
            }
            return recordings
        }
    }
}
