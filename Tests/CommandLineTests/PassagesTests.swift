import Foundation
import TestSupport
import Testing

@Suite struct PassagesTests {
    private func score(_ truth: String, _ answers: String) throws -> EarshotProcess {
        let folder = try TemporaryFolder()
        try Data(truth.utf8).write(to: URL(fileURLWithPath: folder.file("truth.csv")))
        try Data(answers.utf8).write(to: URL(fileURLWithPath: folder.file("answers.csv")))
        return try EarshotProcess(
            "passages", "--truth", folder.file("truth.csv"), "--answers", folder.file("answers.csv"))
    }

    @Test func scoresTheTableOfAnotherProgram() throws {
        let truth = "reference,begin,end,required\na,10,20,true\nb,30,40,true\nc,30,34,false\n"
        let run = try score(truth, "reference,begin,end,score\na,10.1,20,3\nc,30,34,2\nd,50,60,1\n")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("1 of 2"), "\(run.output)")
        #expect(run.output.contains("missed 1, false 1"), "\(run.output)")
        let perfect = try score(truth, truth.split(separator: "\n").prefix(3).joined(separator: "\n"))
        #expect(perfect.output.contains("missed 0, false 0"), "\(perfect.output)")
    }

    @Test func severalAnnotatorsGiveTwoTruths() throws {
        let truth = """
            annotator,reference,begin,end
            ann,a,10,20
            bo,a,10.5,20
            cy,a,10,19.5
            ann,b,30,40
            bo,b,30,40

            """
        let run = try score(truth, "reference,begin,end\na,10,20\nb,30,40\nc,50,60\n")
        #expect(run.status == 0, "\(run.errors)")
        let parts = run.output.split(separator: "majority truth of 3 annotators:")
        #expect(parts.count == 2 && parts[0].hasPrefix("unanimous truth of 3 annotators:"), "\(run.output)")
        // Two of three mark b: it may be found and need not be, or it is true.
        #expect(parts[0].contains("1 of 1") && parts[0].contains("missed 0, false 1"), "\(parts[0])")
        #expect(parts[1].contains("2 of 2") && parts[1].contains("missed 0, false 1"), "\(parts[1])")
    }

    @Test(arguments: [
        ("ann,a,1,2\nbo,a,1,3\nann,a,1.5,3\n", "truth.csv:4: overlaps the passage of a on line 2"),
        ("ann,a,1,2\n,b,1,2\n", "truth.csv:3: the annotator is missing; other rows have one"),
        ("ann,a,1,2\nbo,a,3,1\n", "truth.csv:3: column 8: expected an end after 3 s, found 1 s"),
    ])
    func mistakesOfAnnotatorsAreNamed(_ rows: String, _ words: String) throws {
        let run = try score("annotator,reference,begin,end\n" + rows, "reference,begin,end\na,1,2\n")
        #expect(run.status == 1 && run.errors.contains(words), "\(run.errors)")
    }

    @Test(arguments: [
        ("a,20,10", "a,1,2", "truth.csv:2: column 6: expected an end after 20 s, found 10 s"),
        ("a,10,20\nb,1,2\na,15,30", "a,1,2", "truth.csv:4: overlaps the passage of a on line 2"),
        ("a,10,20", "a,1,2\na,nan,3", "answers.csv:3: column 3"),
        ("a,10,20", "a,1", "answers.csv:2: column 3: expected 3 cells"),
    ])
    func wrongTablesAreNamed(_ truth: String, _ answers: String, _ words: String) throws {
        let head = "reference,begin,end\n"
        let run = try score(head + truth, head + answers)
        #expect(run.status == 1 && run.errors.contains(words), "\(run.errors)")
    }

    @Test(arguments: [
        (["--hours", "0"], "--hours 0.0 is not above 0"),
        (["--truth", "t.csv"], "--truth belongs to --answers"),
        (["--make", "x", "--answers", "a.csv"], "exclude each other"),
        (["--truth", "t.csv", "--answers", "a.csv", "--chain", "[]"], "--chain has no effect"),
    ])
    func wrongOptionsAreRefused(_ arguments: [String], _ words: String) throws {
        let run = try EarshotProcess(arguments: ["passages"] + arguments)
        #expect(run.status == 64 && run.errors.contains(words), "\(run.errors)")
    }
}
