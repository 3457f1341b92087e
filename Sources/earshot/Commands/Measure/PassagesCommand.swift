import ArgumentParser
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import Studies
import SystemIO

struct PassagesCommand: ParsableCommand, ResumableCommand, StudyCommand {
    static let configuration = CommandConfiguration(
        commandName: "passages",
        abstract: "Measure how well a matcher finds what plays in a long recording, from when to when",
        discussion: """
            Makes a long recording from a corpus: songs, advertisements and jingles among other music and speech. \
            The matcher gets it block by block. Writes CSV tables and passages.html, with the truth above the answers \
            on a time line.

            --export writes the recording, its references and truth.csv for other programs. --answers scores what they \
            found, and writes the same files: a table with the columns reference, begin and end in seconds, and score if \
            there is one.

            A table of --truth may have the column annotator. Then what all annotators mark and what most of them mark \
            are scored apart.
            """)

    @Option(
        help: "The plan of passages: its name in Corpora/Plans, or the path of a YAML file.",
        completion: .plans)
    var plan = "passages"
    @OptionGroup var drawn: CorpusOptions
    @Option(help: "The length of the recording in hours, instead of the plan's.")
    var hours: Double?
    @Option(help: "The number of airings, instead of the plan's.")
    var airings: Int?
    @Option(help: "Send the recording through this chain, a YAML list, instead of the plan's.")
    var chain: String?
    @OptionGroup var work: StudyOptions
    @Option(
        help: "Write the recording, its references and truth.csv to this folder, and measure nothing.",
        completion: .directory)
    var export: String?
    @Option(
        help: "Ask no matcher: score the passages in this table, against the plan or --truth.",
        completion: .file(extensions: ["csv"]))
    var answers: String?
    @Option(
        help: "With --answers: the true passages, in place of the plan's.",
        completion: .file(extensions: ["csv"]))
    var truth: String?
    @Option(
        help: "With --truth: the length of the recording, if the table has no column recordingSeconds.")
    var recordingSeconds: Double?
    @Flag(help: "Also write the recording to the folder of results.")
    var keepRecording = false
    @OptionGroup var resume: ResumeOptions

    func validate() throws {
        try require("--hours", hours, atMost: 1000)
        try require("--airings", airings, in: 1...1_000_000)
        try require("--recording-seconds", recordingSeconds, atMost: 10_000_000)
        try require(["--truth"], with: "--answers")
        try require(["--recording-seconds"], with: "--truth")
        try exclude("--export", "--answers")
        let drawing = [
            "--plan", "--corpus", "--half", "--seed", "--corpora", "--hours", "--airings", "--chain",
        ]
        if truth != nil {
            return try allow(
                only: ["--answers", "--truth", "--recording-seconds", "--output"],
                "with --answers and --truth")
        }
        if answers != nil { try allow(only: drawing + ["--answers", "--output"], "with --answers") }
        if export != nil { try allow(only: drawing + ["--export"], "with --export") }
    }

    func run() throws {
        if let answers, let truth { return try score(answers, against: truth) }
        let request = try drawn.request(plan: plan, work.choice.request())
        let (plan, opened) = try request.open(PassagePlanFile.self, in: drawn.recipes.library()) { plan in
            plan.replace("hours", \.hours, by: hours)
            plan.replace("airings", \.airings, by: airings)
            plan.replace("chain", \.chain, by: try chain.map(PassageDesign.chain(text:)))
        }
        let study = PassageStudy(
            plan: plan, corpus: opened.corpus, material: opened.material,
            contestant: try request.matcher.contestant())
        StandardError.print("seed \(plan.seed)")
        if let export { return try write(study, to: export) }
        if let answers { return try score(answers, of: study, request) }
        try measure(study, of: request)
    }

    private func write(_ study: PassageStudy, to folder: String) throws {
        try study.corpus.requireOutside(folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try StandardOutput.print(
            PassageExport(folder: folder).write(
                study.recording(spoolIn: folder), progress: ProgressDisplay().show))
    }

    /// Scores a table of answers against a table of truth.
    private func score(_ answers: String, against truth: String) throws {
        let table = try PassageList(truth: truth)
        try reject(
            if: table.recordingSeconds != nil && recordingSeconds != nil,
            "\(truth) states the length of the recording. Remove --recording-seconds.")
        let list = try PassageList(answers: answers)
        let scored = try PassageTruth.truths(of: table, recordingSeconds: recordingSeconds).map { truth in
            (truth: truth, outcome: try truth.outcome(of: list))
        }
        var request = RunRequest(plan: "")
        request.matcher = MatcherRequest(name: Self.name(of: answers))
        let origin = Provenance(
            matcher: .init(name: Self.name(of: answers), version: "", settings: [:], digest: list.digest),
            request: request, corpusName: Self.name(of: truth), corpusDigest: table.digest, half: .test,
            seed: 0,
            notes: [
                "\(Self.name(of: answers)) is a table of answers, so no matcher was asked. The truth is "
                    + "\(Self.name(of: truth)), SHA-256 \(table.digest.prefix(12))."
            ])
        let folder = try resultFolder(list.digest + table.digest, tables: answers, truth)
        for (truth, outcome) in scored {
            var origin = origin
            origin.notes += truth.notes
            truth.notes.forEach(StandardError.print)
            if !truth.name.isEmpty { try StandardOutput.print("\(truth.name):") }
            try PassageReport(outcome, origin: origin)
                .publish(
                    to: ([folder] + [truth.agreement?.rawValue].compactMap(\.self)).joined(separator: "/"))
        }
    }

    /// Scores a table of answers against the plan.
    private func score(_ answers: String, of study: PassageStudy, _ request: RunRequest) throws {
        let (plan, corpus, list) = (study.plan, study.corpus, try PassageList(answers: answers))
        var request = request
        request.matcher = MatcherRequest(name: Self.name(of: answers))
        let origin = Provenance(
            matcher: .init(name: Self.name(of: answers), version: "", settings: [:], digest: list.digest),
            planName: plan.name, planDigest: plan.digest, request: request, corpusName: corpus.name,
            corpusDigest: corpus.lockDigest, half: plan.half, seed: plan.seed,
            notes: ["\(Self.name(of: answers)) is a table of answers, so no matcher was asked."])
        let folder = try resultFolder(list.digest + plan.digest, tables: answers)
        try corpus.requireOutside(folder)
        let outcome = try study.outcome(of: list, spoolIn: NSTemporaryDirectory())
        try PassageReport(outcome, origin: origin).publish(to: folder)
    }

    private static func name(of path: String) -> String { (path as NSString).lastPathComponent }

    /// The folder for results: the one chosen, or one of a name of its own.
    ///
    /// It is never that of the tables, which may have the name of a result.
    private func resultFolder(_ digests: String, tables: String...) throws -> String {
        let name = (Self.name(of: tables[0]) as NSString).deletingPathExtension
        let folder = work.output ?? "Reports/runs/passages-\(name)-\(Digest.sha256(digests).prefix(8))"
        func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        for table in tables {
            try reject(
                if: (real(table) as NSString).deletingLastPathComponent == real(folder),
                "\(table) is in the folder of --output, where it could be replaced. Name another folder.")
        }
        return folder
    }

    private func measure(_ study: PassageStudy, of request: RunRequest) throws {
        let (plan, corpus) = (study.plan, study.corpus)
        let origin = try Provenance(plan, of: corpus, by: study.contestant, request)
        let folder = try corpus.resultFolder(
            work.output, "passages", plan.name, corpus.name, study.contestant.name, "\(plan.digest.prefix(8))"
        )
        let run = try work.run(study, origin, in: folder, isFresh: resume.fresh)
        // A stored outcome is not played again.
        let isPlayed = try run.storedTrials().isEmpty
        let writer = try keepRecording && isPlayed ? PassageExport.writer(for: plan, in: folder) : nil
        let outcome = try study.run(in: run) { try writer?.append($0) }
        try writer?.finish()
        try PassageReport(outcome, origin: origin).publish(to: folder)
    }
}
