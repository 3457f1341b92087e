import Evaluation
import Foundation
import TestSupport
import Testing

/// Trials that a report shows in full, and commands that make them again.
@Suite(.serialized) struct TrialCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try EvaluateTests.plan.replacing("lengthSeconds: 3", with: "lengthSeconds: 2")
            .replacing("severities: [5, 0]", with: "severities: [0, -15]")
            .write(toFile: folder.file("its plan.yaml"), atomically: true, encoding: .utf8)
    }

    private func evaluate(_ more: String...) throws -> EarshotProcess {
        let words =
            (["evaluate", "--plan", folder.file("its plan.yaml"), "--output", folder.file("run")] + more)
            .map(ShellWord.quoted).joined(separator: " ")
        return try EarshotProcess(shell: "exec \"$EARSHOT\" \(words)")
    }

    private func columns(_ page: String) throws -> [String: Any] {
        let text = try #require(page.firstMatch(of: #/id="trial-data">([^<]*)</#)).output.1
        return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func page(_ name: String) throws -> String {
        try String(contentsOfFile: folder.file(name) + "/report.html", encoding: .utf8)
    }

    @Test func theCommandOfATrialGivesTheStoredAnswer() throws {
        let run = try evaluate("--details", "12")
        #expect(run.status == 0, "\(run.errors)")
        let page = try page("run")
        #expect(page.matches(of: #/id="trial-detail-\d+"/#).count == 12)
        let columns = try columns(page)
        let command = try #require(columns["command"] as? String)
        #expect(command.contains("--plan '"))
        let words = try #require(columns["word"] as? [Any]).map { $0 as? String }
        let records = try RunFolder(existing: folder.file("run")).onlyRun().records
        // A right answer, a failure, one of a catalog that leaves references out, silence, and a format of its own.
        let wanted = [
            records.first { $0.candidates.first?.isAccepted == true },
            records.first { JudgedTrial($0, threshold: nil).outcome?.isRight == false },
            records.first { $0.trial.fold != nil }, records.first { $0.trial.source == "silence" },
            records.last { $0.trial.cell.degradation == "rate by format" && $0.isOffered },
        ]
        for record in try wanted.map({ try #require($0) }) {
            let word = words[record.trial.index] ?? record.trial.id
            let again = try EarshotProcess(
                shell: command.replacing("earshot ", with: "\"$EARSHOT\" ", maxReplacements: 1) + word)
            let outcome = try #require(JudgedTrial(record, threshold: nil).outcome)
            #expect(again.status == (outcome.isRight ? 0 : 2), "\(again.errors)")
            #expect(again.output.contains("chain     \(record.trial.chain.json)\n"))
            for candidate in record.candidates.prefix(3) {
                let score = String(format: "%.2f", candidate.score).replacing("-", with: "\u{2212}")
                let offset = String(format: "%.3f", try #require(candidate.offsetSeconds)).replacing(
                    "-", with: "\u{2212}")
                #expect(
                    again.output.contains(
                        "\(candidate.isAccepted ? "claimed" : "below  ")   \(candidate.referenceID) at \(offset) s, score \(score)\n"
                    ),
                    "\(again.output)")
            }
            #expect(!record.candidates.isEmpty || again.output.contains("no candidate at all"))
        }
    }

    @Test func detailsAreMadeLaterAndStayTheSame() throws {
        #expect(try evaluate("--details", "0").status == 0)
        #expect(try !page("run").contains("id=\"trial-detail-"))
        func report(_ output: String, _ more: String) throws -> EarshotProcess {
            try EarshotProcess(
                shell:
                    "exec \"$EARSHOT\" report '\(folder.file("run"))' --output '\(folder.file(output))' \(more)"
            )
        }
        let made = try report("one", "--reproducible --details 5")
        #expect(made.status == 0, "\(made.errors)")
        #expect(try page("one").matches(of: #/id="trial-detail-\d+"/#).count == 5)
        #expect(made.errors.contains("details: 5 of 5"))
        #expect(try report("two", "--reproducible --details 5").status == 0)
        #expect(try page("two") == page("one"))
        // Only a report into the folder itself adds to it.
        let kept = try EarshotProcess("report", folder.file("run"), "--details", "5")
        #expect(kept.status == 0 && kept.errors.contains("details: 5 of 5"), "\(kept.errors)")
        let again = try report("four", "--reproducible --details 5")
        #expect(!again.errors.contains("details:"), "they were made twice")
        // Another plan of the same name: what is kept is shown, what is not cannot be made.
        try "name: tiny\ncorpus: synthetic\nfamilies: [{name: clean}]\n"
            .write(toFile: folder.file("its plan.yaml"), atomically: true, encoding: .utf8)
        let less = try report("three", "--details 8")
        #expect(less.status == 0 && less.errors.contains("cannot be shown in full"))
        let page = try page("three")
        #expect(page.matches(of: #/id="trial-detail-\d+"/#).count == 5)
        #expect(page.contains("3 more were requested"))
        #expect(try evaluate("--details", "-1").status == 64)
    }

    @Test func whatToTryMustBeSaid() throws {
        for (words, part) in [
            ("try", "say what to make"), ("try --corpus synthetic --at 3", "say what to make"),
            ("try --trial a --track b", "--track has no effect with --trial"),
            ("try --plan '\(folder.file("its plan.yaml"))' --trial nothing", "no trial called nothing"),
        ] {
            let run = try EarshotProcess(shell: "exec \"$EARSHOT\" \(words)")
            #expect([1, 64].contains(run.status) && run.errors.contains(part), "\(words): \(run.errors)")
        }
    }
}
