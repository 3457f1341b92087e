import Foundation
import TestSupport
import Testing

@Suite struct PassagesTests {
    private func score(
        _ truth: String, _ answers: String, _ more: [String] = ["--recording-seconds", "100"],
        in folder: TemporaryFolder? = nil
    ) throws -> EarshotProcess {
        let folder = try folder ?? TemporaryFolder()
        try Data(truth.utf8).write(to: URL(fileURLWithPath: folder.file("truth.csv")))
        try Data(answers.utf8).write(to: URL(fileURLWithPath: folder.file("answers.csv")))
        return try EarshotProcess(
            arguments: [
                "passages", "--truth", folder.file("truth.csv"), "--answers", folder.file("answers.csv"),
                "--output", folder.file("out"),
            ] + more)
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

    /// What the machine does is no miss: a stop of all processes, and two kills.
    @Test(arguments: [("calm", 1), ("freeze", 2), ("killed-twice", 2)])
    func whatDisturbsAProgramIsNoMiss(_ mode: String, _ asked: Int) throws {
        let folder = try TemporaryFolder()
        let digested = 128
        let script = try HostileScript(mode, at: mode == "calm" ? 1000 : digested + 1)
        let arguments = [
            "passages", "--plan", PackageFolder.path + "/Corpora/Plans/passages-small.yaml", "--hours",
            "0.03",
            "--airings", "5", "--matcher-command", script.commandLine, "--output", folder.file("out"),
        ]
        let run = try EarshotProcess(arguments: arguments, environment: EarshotProcess.projectCorpora)
        #expect(script.queries.count == digested + asked)
        let figures = FileManager.default.fileExists(atPath: folder.file("out/figures.csv"))
        if mode == "killed-twice" {
            #expect(run.status == 1 && run.errors.contains("the recording was not measured: hostile closed"))
            #expect(!figures && run.output.isEmpty, "\(run.output)")
        } else {
            #expect(run.status == 0 && figures && !run.output.contains("hostile"), "\(run)")
        }
    }

    /// The files are those of a run, and no answer decides the length of the recording.
    @Test func writesTheFilesOfARun() throws {
        let folder = try TemporaryFolder()
        let truth = "reference,begin,end,recordingSeconds\na,10,20,450\nb,30,40,450\n"
        let run = try score(truth, "reference,begin,end,score\na,10,20,1\nc,50,60,9\n", [], in: folder)
        #expect(run.status == 0 && run.output.contains("(8.0 an hour)"), "\(run.errors)\(run.output)")
        for name in ["truth.csv", "passages.csv", "figures.csv", "groups.csv", "passages.html"] {
            #expect(FileManager.default.fileExists(atPath: folder.file("out/" + name)), "\(name)")
        }
        let figures = try String(contentsOfFile: folder.file("out/figures.csv"), encoding: .utf8)
        #expect(figures.contains("\r\nfalsePerHour,8.0,") && figures.contains("\r\nareaByReference,0.5,"))
        let far = try score(truth, "reference,begin,end\nx,999999,1000000\n", [], in: folder)
        #expect(far.status == 1, "\(far.output)")
        #expect(
            far.errors.contains("answers.csv:2: column 3: expected begin from 0 to 450 s"), "\(far.errors)")
        let twice = try score(truth, "reference,begin,end\na,1,2\n", in: folder)
        #expect(twice.status == 64 && twice.errors.contains("Remove --recording-seconds"), "\(twice.errors)")
        let over = try EarshotProcess(
            "passages", "--truth", folder.file("truth.csv"), "--answers", folder.file("answers.csv"),
            "--output",
            folder.path)
        #expect(over.status == 64 && over.errors.contains("could be replaced"), "\(over.errors)")
    }

    /// What `--export` writes is a truth: all its passages as answers, those that need not be found too, are perfect.
    @Test func anExportedTruthIsPerfect() throws {
        let folder = try TemporaryFolder()
        let plan = PackageFolder.path + "/Corpora/Plans/passages-small.yaml"
        let export = try EarshotProcess(
            arguments: ["passages", "--plan", plan, "--export", folder.file("day")],
            environment: EarshotProcess.projectCorpora)
        #expect(export.status == 0, "\(export.errors)")
        let truth = try String(contentsOfFile: folder.file("day/truth.csv"), encoding: .utf8)
        // Without the references of the catalog.
        let rows = truth.split(separator: "\r\n").filter {
            $0.split(separator: ",", omittingEmptySubsequences: false)[1] != ""
        }
        let answers = folder.file("answers.csv")
        try Data(rows.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: answers))
        func files(_ arguments: [String], _ name: String) throws -> [String] {
            let run = try EarshotProcess(
                arguments: ["passages", "--answers", answers, "--output", folder.file(name)] + arguments,
                environment: EarshotProcess.projectCorpora)
            #expect(run.status == 0, "\(run.errors)")
            return try ["figures.csv", "groups.csv", "passages.csv", "truth.csv"].map {
                try String(contentsOfFile: folder.file("\(name)/\($0)"), encoding: .utf8)
            }
        }
        let ofPlan = try files(["--plan", plan], "plan")
        #expect(try files(["--truth", folder.file("day/truth.csv")], "table") == ofPlan)
        #expect(ofPlan[3] == truth)
        for figure in ["precision", "intersectionPrecision", "intersectionF1", "area"] {
            #expect(ofPlan[0].contains("\r\n\(figure),1.0,"), "\(ofPlan[0])")
        }
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
        ("ann,a,1,2\nbo,a,3,1\n", "truth.csv:3: column 8: expected end after 3 s, found 1 s"),
    ])
    func mistakesOfAnnotatorsAreNamed(_ rows: String, _ words: String) throws {
        let run = try score("annotator,reference,begin,end\n" + rows, "reference,begin,end\na,1,2\n")
        #expect(run.status == 1 && run.errors.contains(words), "\(run.errors)")
    }

    @Test(arguments: [
        ("a,20,10", "a,1,2", "truth.csv:2: column 6: expected end after 20 s, found 10 s"),
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
        (["--answers", "a.csv", "--recording-seconds", "9"], "--recording-seconds belongs to --truth"),
        (["--make", "x", "--answers", "a.csv"], "exclude each other"),
        (["--truth", "t.csv", "--answers", "a.csv", "--chain", "[]"], "--chain has no effect"),
    ])
    func wrongOptionsAreRefused(_ arguments: [String], _ words: String) throws {
        let run = try EarshotProcess(arguments: ["passages"] + arguments)
        #expect(run.status == 64 && run.errors.contains(words), "\(run.errors)")
    }
}
