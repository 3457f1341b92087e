import Foundation
import TestSupport
import Testing

/// A sealed corpus and the ledger of looks, on music made by a formula.
@Suite(.serialized) struct ExamTests {
    private static let plan = """
        name: tiny
        corpus: synthetic
        seed: 5
        positives: 4
        negatives: 2
        latencyTrials: 0
        lengthSeconds: 2
        families: [{name: clean}]
        """

    private let folder: TemporaryFolder
    private let environment: [String: String]
    private var ledger: String { folder.file("looks.csv") }

    /// Recipes whose corpora are all exams, with the plans of the project.
    init() throws {
        folder = try TemporaryFolder()
        let copied = try EarshotProcess(
            shell: """
                cp -rL '\(PackageFolder.shortCorpora)/.' '\(folder.file("Corpora"))' && cd '\(folder.file("Corpora"))' && \
                echo 'exam: true' >>synthetic.yaml
                """)
        try #require(copied.status == 0, "\(copied.errors)")
        environment = ["EARSHOT_CORPORA": folder.file("Corpora")]
        try Self.plan.write(toFile: folder.file("tiny.yaml"), atomically: true, encoding: .utf8)
    }

    private func earshot(_ words: String...) throws -> EarshotProcess {
        try EarshotProcess(
            arguments: words.map { $0.replacing("TINY", with: folder.file("tiny.yaml")) },
            environment: environment)
    }

    private func lines() throws -> [Substring] {
        try String(contentsOfFile: ledger, encoding: .utf8).split(separator: "\n")
    }

    @Test(arguments: [
        "evaluate --plan TINY", "arena run --plan TINY --matcher null", "tune --plan TINY --output OUTPUT",
        "frontier --corpus synthetic", "try --plan TINY --trial clean/2s/p000", "growth --plan TINY",
        "streams --corpus synthetic", "intros --corpus synthetic", "passages --corpus synthetic",
        "degrade --plan TINY --output OUTPUT",
    ])
    func otherCommandsRefuseAnExam(_ command: String) throws {
        let words = command.split(separator: " ").map {
            String($0).replacing("TINY", with: folder.file("tiny.yaml")).replacing(
                "OUTPUT", with: folder.file("out"))
        }
        let run = try EarshotProcess(arguments: words, environment: environment)
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.errors.contains("the corpus synthetic is sealed for the exam"), "\(run.errors)")
        #expect(run.errors.contains("earshot evaluate --exam LEDGER"), "\(run.errors)")
    }

    @Test func anEngineIsExaminedOnce() throws {
        let evaluate = ["evaluate", "--plan", folder.file("tiny.yaml"), "--exam", ledger, "--details", "0"]
        func evaluated(_ more: String...) throws -> EarshotProcess {
            try EarshotProcess(arguments: evaluate + more, environment: environment)
        }
        let size = try evaluated("--dry-run")
        #expect(size.status == 0 && !FileManager.default.fileExists(atPath: ledger), "\(size.errors)")
        let first = try evaluated("--output", folder.file("first"))
        try #require(first.status == 0, "\(first.errors)")
        #expect(first.errors.contains("were seen 0 times, by 0 engines before; this look is line 2"))
        #expect(try lines().count == 2)
        // The report is written again.
        let again = try evaluated("--output", folder.file("first"))
        #expect(
            again.status == 0 && again.errors.contains("this run goes on with its look"), "\(again.errors)")
        let second = try evaluated("--output", folder.file("second"))
        #expect(second.status == 1 && second.errors.contains("\(ledger):2: earshot "), "\(second.errors)")
        for option in [["--fresh"], ["--retry-errors"], ["--shard", "1/2"]] {
            let run = try EarshotProcess(arguments: evaluate + option, environment: environment)
            #expect(run.status == 64 && run.errors.contains("--exam"), "\(run.errors)")
        }
        let minimised = try earshot(
            "minimise", folder.file("first"), "--worst", "1", "--output", folder.file("minimised"))
        #expect(
            minimised.status == 64 && minimised.errors.contains("sealed for the exam"), "\(minimised.errors)")
        #expect(try lines().count == 2)

        // The arena writes a look for each contestant, and goes on without one that has had its look.
        let arena = try earshot(
            "arena", "run", "--plan", "TINY", "--exam", ledger, "--matcher", "earshot", "--matcher", "null",
            "--matcher", "oracle", "--no-check-memory", "--output", folder.file("arena"))
        #expect(arena.status == 1 && arena.errors.contains("earshot cannot be measured: \(ledger):2"))
        #expect(try lines().map { $0.split(separator: ",")[5] } == ["matcher", "earshot", "null", "oracle"])

        try (lines() + [lines()[1]]).joined(separator: "\n").appending("\n").write(
            toFile: ledger, atomically: true, encoding: .utf8)
        let faulty = try evaluated("--output", folder.file("third"))
        #expect(faulty.status == 1 && faulty.errors.contains("\(ledger):5: expected"), "\(faulty.errors)")
    }

    @Test func theCorpusIsListedAndAudited() throws {
        let list = try earshot("corpus", "list", "synthetic")
        #expect(list.status == 0 && list.output.contains("enrolled:test"), "\(list.errors)")
        #expect(!list.output.contains("enrolled:tuning") && !list.output.contains("negative"))
    }
}
