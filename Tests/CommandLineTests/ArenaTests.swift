import Foundation
import TestSupport
import Testing

/// Programs as contestants: what they do wrong is an error of a trial, and nothing of them outlives `earshot`.
@Suite(.serialized) struct ArenaTests {
    private static let plan = """
        name: few
        corpus: synthetic
        seed: 5
        positives: 3
        negatives: 2
        latencyTrials: 2
        lengthSeconds: 2
        families: [{name: clean}]
        """

    /// A folder with a plan.
    private func arena() throws -> (folder: TemporaryFolder, options: [String]) {
        let folder = try TemporaryFolder()
        try Self.plan.write(toFile: folder.file("few.yaml"), atomically: true, encoding: .utf8)
        return (folder, ["--plan", folder.file("few.yaml"), "--no-cache"])
    }

    @Test func anAdapterThatDiesErrsInOneTrialAndTheArenaGoesOn() throws {
        let (folder, options) = try arena()
        // 64 queries among 64 others make its identity; it dies at the second of the five trials.
        let script = try HostileScript("die", at: 130)
        let list = folder.file("contestants.yaml")
        try """
        contestants:
          - {name: oracle, matcher: oracle}
          - {name: hostile, command: "\(script.commandLine)"}
          - {name: missing, command: /nonexistent/program}
        """.write(toFile: list, atomically: true, encoding: .utf8)
        let output = folder.file("out")
        let arguments =
            ["arena", "run"] + options + ["--contestants", list, "--output", output, "--jobs", "1"]
        let run = try EarshotProcess(arguments: arguments)
        #expect(run.status == 1, "the missing contestant is an error: \(run.errors)")
        try #require(run.output.contains("hostile: recall"), "\(run.errors)")
        #expect(run.output.hasSuffix("/arena.html\n"))
        func text(_ name: String) throws -> String {
            try String(contentsOfFile: "\(output)/\(name)", encoding: .utf8)
        }
        let trials = try text("hostile/trials.csv").split(separator: "\r\n")
        #expect(trials.count == 6 && trials.count { $0.contains("out of luck") } == 1)
        let rows = try text("leaderboard.csv").split(separator: "\r\n").map { $0.split(separator: ",") }
        #expect(rows.map(\.first) == ["name", "oracle", "hostile"])
        let column = try #require(rows[0].firstIndex(of: "errors"))
        #expect(rows[0][column + 1] == "errorsOnPositives")
        let line = try text("leaderboard.md")
        #expect(line.contains("missing could not be measured") && line.contains("/nonexistent/program"))
        let page = try text("arena.html")
        #expect(page.contains("hostile: 1 trial ended with an error") && !page.contains("src=\"http"))
        let again = try EarshotProcess(arguments: arguments)
        #expect(again.errors.contains("5 trials are in \(output)/hostile already"))
        #expect(try text("leaderboard.md") == line, "a finished run is not repeated")
        for instance in script.instances {
            #expect(!HostileScript.isAlive(instance.process))
            #expect(!FileManager.default.fileExists(atPath: instance.folder))
        }
        #expect(script.instances.count >= 4)
    }

    /// What the machine does is no error: a stop of all processes for longer than the limit of a query, and a kill.
    @Test(arguments: [("freeze", 130), ("killed", 130), ("terminated", 131)])
    func aDisturbedQueryIsAskedOnceMore(_ mode: String, _ number: Int) throws {
        let (folder, options) = try arena()
        func trials(_ mode: String) throws -> [Substring] {
            let script = try HostileScript(mode, at: mode == "calm" ? 10_000 : number)
            let output = folder.file(mode)
            let run = try EarshotProcess(
                arguments: ["evaluate"] + options + [
                    "--matcher-command", script.commandLine, "--output", output, "--details", "0", "--jobs",
                    "1",
                    "--time-limit-seconds", "6",
                ])
            #expect(run.status == 0 && !run.output.contains("ended with an error"), "\(run)")
            // Two queries are timed, and one of each catalog warms it.
            #expect(script.queries.count >= 128 + 5 + 2 + 1 + (mode == "calm" ? 0 : 1))
            let text = try String(contentsOfFile: output + "/trials.csv", encoding: .utf8)
            // Without what differs by the order of the queries.
            return text.split(separator: "\r\n").map {
                $0.split(separator: ",", maxSplits: 14)[..<13].joined(separator: ",")[...]
            }
        }
        #expect(try trials(mode) == trials("calm"))
    }

    @Test func whatIsDisturbedTwiceIsNotMeasured() throws {
        let (folder, options) = try arena()
        let script = try HostileScript("killed-twice", at: 130)
        let arguments =
            ["evaluate"] + options + [
                "--matcher-command", script.commandLine, "--output", folder.file("out"), "--details", "0",
            ]
        let run = try EarshotProcess(arguments: arguments)
        #expect(run.status == 0, "\(run)")
        #expect(
            run.output.contains("1 trial was not measured") && run.output.contains("signal 9"),
            "\(run.output)")
        func trials() throws -> String {
            try String(contentsOfFile: folder.file("out/trials.csv"), encoding: .utf8)
        }
        #expect(try trials().contains(",notMeasured,"))
        #expect(
            try String(contentsOfFile: folder.file("out/report.html"), encoding: .utf8).contains(
                "Not measured"))
        let again = try EarshotProcess(arguments: arguments + ["--retry-errors"])
        #expect(again.status == 0 && !again.output.contains("not measured"), "\(again)")
        #expect(try !trials().contains("notMeasured"))
    }

    @Test func aRunOfErrorsAloneFailsAndSaysWhy() throws {
        let (folder, options) = try arena()
        let script = folder.file("adapter.py")
        try """
        import json, sys
        for line in sys.stdin:
            request = json.loads(line)
            answer = {"protocol": 1, "name": "null score", "version": "1"} if request["op"] == "hello" else {"ok": True}
            if request["op"] == "identify":
                answer = {"query": request["query"], "answers": [{"id": "r", "offsetSeconds": 0, "score": None}]}
            print(json.dumps(answer), flush=True)
        """.write(toFile: script, atomically: true, encoding: .utf8)
        let run = try EarshotProcess(
            arguments: ["evaluate"] + options + [
                "--matcher-command", "python3 '\(script)'", "--output", folder.file("out"), "--details", "0",
            ])
        #expect(run.status == 1, "\(run)")
        #expect(run.output.contains("The most frequent error, 5 times: null score answered"), "\(run.output)")
        #expect(run.output.contains("score") && run.output.hasSuffix("report.html\n"), "\(run.output)")
    }

    /// Its name, version, command line and answers to the 64 fixed queries of 3 s stay.
    @Test func anEditedProgramIsAskedAgain() throws {
        let (folder, _) = try arena()
        let plan = folder.file("long.yaml")
        try Self.plan.replacing("lengthSeconds: 2", with: "lengthSeconds: 5")
            .write(toFile: plan, atomically: true, encoding: .utf8)
        let script = folder.file("adapter.py")
        let example = try String(
            contentsOfFile: PackageFolder.path + "/scripts/adapters/example.py", encoding: .utf8)
        try example.write(toFile: script, atomically: true, encoding: .utf8)
        func found(_ output: String) throws -> Int {
            let run = try EarshotProcess(
                "evaluate", "--plan", plan, "--matcher-command", "python3 '\(script)'", "--details", "0",
                "--output", folder.file(output), environment: ["XDG_CACHE_HOME": folder.file("cache")])
            #expect(run.status == 0 && !run.errors.contains("already"), "\(run.errors)")
            let rows = try String(contentsOfFile: folder.file(output) + "/trials.csv", encoding: .utf8)
            return rows.split(separator: "\r\n").count { $0.contains(",correct,") }
        }
        let before = try found("one")
        #expect(before > 0)
        #expect(try found("two") == before)
        #expect(
            try String(contentsOfFile: folder.file("two/report.html"), encoding: .utf8)
                .contains("5, given by runs at commit "))
        let line = "    query = contour(request[\"path\"])\n"
        let edited = example.replacing(
            line, with: line + "    if len(query) > 4 / HOP_SECONDS: query = []\n")
        try #require(edited != example)
        try edited.write(toFile: script, atomically: true, encoding: .utf8)
        #expect(try found("two") == 0)
    }

    @Test func anAdapterIsKilledWhenEarshotIs() throws {
        let (folder, options) = try arena()
        let script = try HostileScript("fork-and-hang", at: 1)
        let started = try EarshotProcess.Started(
            command: [EarshotProcess.binary, "evaluate"] + options
                + [
                    "--matcher-command", script.commandLine, "--time-limit-seconds", "1000", "--output",
                    folder.file("run"),
                ])
        _ = started.reaches { script.children.count == 3 }
        kill(started.process.processIdentifier, SIGKILL)
        _ = try started.finish()
        let instance = try #require(script.instances.last)
        let processes = script.children + [instance.process]
        #expect(processes.count == 4)
        _ = eventually {
            !processes.contains(where: HostileScript.isAlive)
                && !FileManager.default.fileExists(atPath: instance.folder)
        }
        for process in processes { #expect(!HostileScript.isAlive(process)) }
        #expect(!FileManager.default.fileExists(atPath: instance.folder))
    }

    @Test func aCheckThatFailsIsAnExitCode() throws {
        let run = try EarshotProcess("arena", "check", "sh -c 'read line; echo no'")
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("fail  hello, enrol and ready"))
        #expect(
            run.output.contains("answered 'no'") && run.output.hasSuffix("0 passed, 0 warned, 1 failed\n"))
    }

    @Test(arguments: [
        (["arena", "run"], "there is no contestant"),
        (["arena", "run", "--matcher", "nobody"], "no matcher called 'nobody'"),
        (["arena", "run", "--matcher-command", "a 'b"], "no command line"),
        (["arena", "run", "--matcher-command", "./音"], "gives no name"),
        (
            ["arena", "run", "--matcher", "null", "--plan", "smoke", "--negatives", "0"],
            "needs positives and negatives; this plan has"
        ),
        (["arena", "check", "x", "--memory-limit-gigabytes", "0"], "--memory-limit-gigabytes 0.0 is not"),
        (["evaluate", "--matcher", "null", "--matcher-command", "x"], "exclude each other"),
    ])
    func mistakesAreRefused(_ arguments: [String], _ words: String) throws {
        let run = try EarshotProcess(arguments: arguments)
        #expect(run.status != 0 && run.errors.contains(words), "\(run.errors)")
    }
}
