import Foundation
import TestSupport
import Testing

/// From limits over failing trials to the commands that show them, on music made by a formula.
@Suite(.serialized) struct FrontierTests {
    static let plan = """
        name: tiny
        corpus: synthetic
        seed: 5
        queries: 2
        lengthSeconds: 3
        coarse: 3
        axes:
          - name: White noise
            unit: dB
            severity: {from: 0, to: -30, resolution: 2}
            chain: [{noise: {colour: white, snrDecibels: $severity}}]
        """

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func limitsAreMinimisedAndTheirCommandsShowThem() throws {
        let folder = try TemporaryFolder()
        let (plan, run, cases) = (folder.file("a plan.yaml"), folder.file("run"), folder.file("cases"))
        try Self.plan.write(toFile: plan, atomically: true, encoding: .utf8)
        let frontier = try EarshotProcess(
            "frontier", "--plan", plan, "--axis", "White noise", "--output", run)
        #expect(frontier.status == 0, "\(frontier.errors)")
        #expect(frontier.output.hasSuffix("\(run)/frontier.html\n"))
        let rows = try text(run + "/frontier.csv").split(separator: "\r\n")
        #expect(rows.count == 3 && rows.dropFirst().allSatisfy { $0.contains("bracketed") })
        let page = try text(run + "/frontier.html")
        #expect(page.contains("White noise") && !page.contains("http://") && !page.contains("https://"))
        // Once more: nothing is asked again, and the report is the same.
        let again = try EarshotProcess(
            "frontier", "--plan", plan, "--axis", "White noise", "--output", run)
        #expect(again.status == 0 && again.output == frontier.output && !again.errors.contains("references:"))
        #expect(again.errors.contains("2 answers are in"), "\(again.errors)")

        let minimised = try EarshotProcess(
            "minimise", run, "--worst", "2", "--longest", "4", "--output", cases)
        #expect(minimised.status == 0, "\(minimised.errors)")
        #expect(minimised.output.hasSuffix("\(cases)/minimised.html\n"))
        #expect(try text(cases + "/minimised.csv").split(separator: "\r\n").count == 3)
        let verified = try EarshotProcess("minimise", "--verify", cases)
        #expect(verified.status == 0, "\(verified.errors)")
        #expect(verified.output.contains("2 of 2 cases fail"))

        // The command of the first case, and the first step less, each in a process of its own.
        let lines = try text(cases + "/commands.tsv").split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
        for line in lines.prefix(2) {
            let words = line[3].dropFirst("earshot ".count)
            let shown = try EarshotProcess(shell: "exec \"$EARSHOT\" \(words)")
            #expect("\(shown.status)" == line[0], "\(line) \(shown.errors)")
        }
        #expect(lines.map { String($0[0]) }.prefix(2) == ["2", "0"])

        // A case that was tampered with is found out.
        let names = try FileManager.default.contentsOfDirectory(atPath: cases + "/cases").sorted()
            .filter { $0.hasSuffix(".json") }
        let file = try #require(names.first)
        let changed = try text("\(cases)/cases/\(file)").replacing(
            "\"verdict\" : \"holds\"", with: "\"verdict\" : \"fails\"")
        try changed.write(toFile: "\(cases)/cases/\(file)", atomically: true, encoding: .utf8)
        #expect(try EarshotProcess("minimise", "--verify", cases).status == 2)

        // A command in a case is not started.
        let starts = folder.file("starts")
        let program = #""program" : {"command" : "sh -c 'echo x >> STARTS'", "limits" : {}}, "#
            .replacing("STARTS", with: starts)
        for name in names {
            let text = try text("\(cases)/cases/\(name)")
            try text.replacing("\"matcher\" : {", with: "\"matcher\" : {\(program)", maxReplacements: 1)
                .write(toFile: "\(cases)/cases/\(name)", atomically: true, encoding: .utf8)
        }
        let stored = try EarshotProcess("minimise", "--verify", cases)
        #expect(stored.status == 1, "\(stored.errors)")
        #expect(stored.errors.contains("a stored command is not started"), "\(stored.errors)")
        #expect(!FileManager.default.fileExists(atPath: starts))

        try refusals(run, plan, folder)
    }

    /// What cannot be minimised, and what the message must say.
    private func refusals(_ run: String, _ plan: String, _ folder: TemporaryFolder) throws {
        let rows = try text(run + "/frontier.csv").split(separator: "\r\n")
        let lost = try #require(rows[1].split(separator: ",").first { $0.contains("/q00") })
        let found = String(lost).replacing(#/noise\/.*?-db/#, with: "noise/0-db")
        let output = folder.file("refused")
        for (trial, words) in [("no/such/trial", "no trial called"), (found, "does not fail")] {
            let refused = try EarshotProcess("minimise", run, "--trial", trial, "--output", output)
            #expect(refused.status == 1 && refused.errors.contains(words), "\(refused.errors)")
        }
        let other = try EarshotProcess(
            "minimise", run, "--worst", "1", "--matcher", "null", "--output", output)
        #expect(other.status == 1 && other.errors.contains("--set"), "\(other.errors)")
        try Self.plan.replacing("seed: 5", with: "seed: 6").write(
            toFile: plan, atomically: true, encoding: .utf8)
        let changed = try EarshotProcess("minimise", run, "--worst", "1", "--output", output)
        #expect(changed.status == 1 && changed.errors.contains("has changed since"), "\(changed.errors)")
        let nothing = try EarshotProcess("minimise", folder.path, "--worst", "1", "--output", output)
        #expect(nothing.status == 1 && nothing.errors.contains("no store"), "\(nothing.errors)")
    }

    @Test(arguments: [
        (["frontier", "--positives", "0"], "--positives"), (["minimise"], "No run"),
        (["minimise", "run", "--output", "o"], "No trials"),
        (["minimise", "run", "--worst", "1"], "No output folder"),
        (["minimise", "run", "--verify", "v"], "--verify"),
        (["try", "--corpus", "synthetic", "--track", "none", "--at", "-1"], "--at"),
        (["try", "--corpus", "synthetic", "--track", "none", "--at", "1"], "no track"),
    ])
    func wrongArgumentsAreNamed(_ arguments: [String], _ words: String) throws {
        let quoted = arguments.map { "'\($0)'" }.joined(separator: " ")
        let run = try EarshotProcess(shell: "exec \"$EARSHOT\" \(quoted)")
        #expect(run.status == 64 && run.errors.contains(words), "\(run.errors)")
    }

    @Test func aPlanOfFamiliesIsNoPlanOfAxes() throws {
        let run = try EarshotProcess("frontier", "--plan", "smoke", "--output", "/nonexistent/x")
        #expect(run.status == 1 && run.errors.contains("axes"), "\(run.errors)")
    }
}
