import ArgumentParser
import AudioIO
import Corpora
import Foundation
import MatcherAdapters
import Reporting
import SystemIO

extension CorpusCommand {
    struct Audit: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Find recordings that share audio: duplicates, shared sections, contaminated noise, repeats",
            discussion: """
                Looks up every 5 s of every recording in all others and compares the waveforms of what is named. \
                Writes NAME.csv and NAME.json, one row a finding, and prints what is new. Files that cannot be read \
                are named and left out. Nothing is changed but, with --write-suspects, the list of suspects.
                """)

        @Argument(help: "A corpus: the name of a recipe without .yaml.")
        var name: String?

        @Option(help: "Audit the audio files in this folder, or with NAME these too; may be repeated.")
        var folder: [String] = []

        @Option(
            name: .customLong("noise-folder"),
            help: "Audio files that are mixed into queries and must hold no reference; may be repeated.")
        var noiseFolders: [String] = []

        @Option(
            name: .customLong("with"),
            help:
                "Another corpus to compare with, as ambience; may be repeated. Its ids get its name in front."
        )
        var others: [String] = []

        @Option(help: "The folder of recipes (default: EARSHOT_CORPORA, else Corpora here or above).")
        var corpora: String?

        @Option(help: "The folder to write to.")
        var output = "Reports/audits"

        @Flag(help: "Also write what is new to the list of suspects; what a person has judged there stays.")
        var writeSuspects = false

        @Option(help: "The list of suspects, instead of NAME.suspects beside the recipe.")
        var suspects: String?

        @Option(help: "The most memory to take for waveforms, in GB; half of the machine's by default.")
        var memory: Double?

        func validate() throws {
            if name == nil, folder.isEmpty {
                throw ValidationError("name a corpus, or a folder of audio files with --folder")
            }
            if writeSuspects, name == nil, suspects == nil {
                throw ValidationError("--write-suspects needs a corpus or --suspects FILE")
            }
            if let memory, !(memory > 0 && memory < 1e6) {
                throw ValidationError("--memory \(memory) is not in 0…1,000,000 GB")
            }
        }

        func run() throws {
            let corpus = try name.map { try Corpus.open(named: $0, in: CorpusLibrary.standard(corpora)) }
            let recordings = try recordings(with: corpus)
            let label =
                corpus?.name ?? URL(fileURLWithPath: folder[0]).standardizedFileURL.lastPathComponent
            let findings = try findings(in: recordings)
            let report = AuditReport(name: label, findings: findings)
            let path = try report.write(to: output)
            try StandardOutput.print(report.summary(), terminator: "")
            try StandardOutput.print(path)
            if writeSuspects { try write(findings, of: corpus) }
        }

        private func findings(
            in recordings: [EquivalenceAudit.Recording]
        ) throws -> EquivalenceAudit.Findings {
            let limit = memory.map { Int($0 * 1e9) } ?? Int(ProcessInfo.processInfo.physicalMemory / 2)
            return try EquivalenceAudit(matcher: Contestants.auditor(), memoryLimit: limit) {
                StandardError.print($0)
            }.run(recordings)
        }

        private func recordings(with corpus: Corpus?) throws -> [EquivalenceAudit.Recording] {
            var recordings: [EquivalenceAudit.Recording] = []
            if let corpus {
                recordings += corpus.auditRecordings()
                let library = try CorpusLibrary.standard(corpora)
                for other in others {
                    recordings += try Corpus.open(named: other, in: library).auditRecordings(
                        prefix: other + ":")
                }
            }
            for (folders, part) in [(folder, EquivalenceAudit.Part.reference), (noiseFolders, .noise)] {
                for path in try folders.flatMap(AudioFileFinder.audioFiles(under:)) {
                    recordings.append(.init(id: path, part: part) { try AudioFile.read(path) })
                }
            }
            guard recordings.count > 0 else {
                throw CorpusError(.unreadable, "\(folder.joined(separator: ", ")): there is no audio file")
            }
            return recordings
        }

        private func write(_ findings: EquivalenceAudit.Findings, of corpus: Corpus?) throws {
            let usual = try corpus.map {
                try CorpusLibrary(recipeFolder: corpora).suspectsPath(named: $0.name)
            }
            guard let path = suspects ?? usual else { return }
            let before =
                FileManager.default.fileExists(atPath: path) ? try SuspectList(path: path) : SuspectList()
            let list = before.updated(with: findings.findings)
            // A list that is too long to be read again would lose what a person judges in it.
            _ = try SuspectList(text: list.text, name: path)
            try AtomicFile.write(list.text, to: path)
            try StandardOutput.print(
                "\(path): \(list.entries.count.counting("pair")), "
                    + "\(list.entries.count { $0.judgement == .open }) not judged yet")
        }
    }
}
