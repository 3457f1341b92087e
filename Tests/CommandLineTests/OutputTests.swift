import AudioCore
import Foundation
import TestSupport
import Testing

/// Standard output that cannot be written, the version, and stored runs that commands open again.
@Suite(.serialized) struct OutputTests {
    private static let plan = """
        name: few
        corpus: synthetic
        seed: 5
        positives: 1
        negatives: 1
        lengthSeconds: 2
        families: [{name: clean}]
        """

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Self.plan.write(toFile: folder.file("few.yaml"), atomically: true, encoding: .utf8)
    }

    private func evaluate(_ output: String, _ more: String...) throws -> EarshotProcess {
        try EarshotProcess(
            arguments: ["evaluate", "--plan", folder.file("few.yaml"), "--no-cache", "--details", "0"]
                + ["--output", folder.file(output)] + more)
    }

    @Test func aFullDiskOnStandardOutputIsAnError() throws {
        #expect(try evaluate("run").status == 0)
        let rules = folder.file("rules.yaml")
        try "significance: 0.05\nrules:\n  - {measure: errorRate, atMost: 0, hard: true}\n"
            .write(toFile: rules, atomically: true, encoding: .utf8)
        let (plan, run, out) = (folder.file("few.yaml"), folder.file("run"), folder.file("queries"))
        for command in [
            "settings", "evaluate --plan '\(plan)' --no-cache --details 0 --output '\(run)'",
            "gate '\(run)' --rules '\(rules)'", "degrade --plan '\(plan)' --output '\(out)'",
            "report '\(run)' --details 0", "corpus list synthetic",
        ] {
            let full = try EarshotProcess(shell: "exec \"$EARSHOT\" \(command) > /dev/full")
            #expect(full.status == 1, "\(command): \(full.errors)")
            #expect(full.errors.contains("standard output: "), "\(full.errors)")
        }
    }

    /// The commit is that of the folder worked in and says so; the digest is that of the program everywhere.
    @Test func theVersionNamesEngineAndExecutable() throws {
        let inside = try EarshotProcess("--version")
        let expected = #/earshot \d+\.\d+\.\d+ \(engine \d+\.\d+, executable [0-9a-f]{12}, commit of the/#
        #expect(inside.output.prefixMatch(of: expected) != nil, "\(inside.output)")
        let outside = try EarshotProcess(shell: "cd '\(folder.path)' && exec \"$EARSHOT\" --version")
        let program = try #require(inside.output.split(separator: ", commit").first)
        #expect(outside.output.hasPrefix(program + ", commit"), "\(outside.output)")
    }

    /// Packages and wheels take their version from the program.
    @Test func programAndCitationNameTheRelease() throws {
        let program = try EarshotProcess("--version")
        #expect(program.output.hasPrefix("earshot \(Release.number) "), "\(program.output)")
        let citation = try String(contentsOfFile: PackageFolder.path + "/CITATION.cff", encoding: .utf8)
        #expect(citation.contains("\nversion: \(Release.number)\n"))
    }

    @Test func aStoredProgramIsStartedOnlyWhereTheUserNamesIt() throws {
        let starts = folder.file("starts")
        let example = PackageFolder.path + "/scripts/adapters/example.py"
        let command = "sh -c 'echo x >> \(starts); exec python3 \(example)'"
        let run = try evaluate("run", "--matcher-command", command)
        #expect(run.status == 0, "\(run.errors)")
        try FileManager.default.removeItem(atPath: starts)
        let stored = try EarshotProcess("report", folder.file("run"), "--details", "2")
        #expect(stored.status == 0 && !FileManager.default.fileExists(atPath: starts))
        #expect(stored.errors.contains("a stored command is not started"), "\(stored.errors)")
        #expect(stored.errors.contains("add --matcher-command 'sh -c "), "\(stored.errors)")
        let named = try EarshotProcess(
            "report", folder.file("run"), "--details", "2", "--matcher-command", command)
        #expect(named.status == 0 && FileManager.default.fileExists(atPath: starts), "\(named.errors)")
        #expect(!named.errors.contains("cannot be shown"), "\(named.errors)")
    }

    @Test func commandsThatReadARunStartNoStoredProgramAndLeaveTheFolderAsItIs() throws {
        let starts = folder.file("starts")
        let example = PackageFolder.path + "/scripts/adapters/example.py"
        let command = "sh -c 'echo x >> \(starts); exec python3 \(example)'"
        for name in ["run", "other"] {
            #expect(try evaluate(name, "--matcher-command", command).status == 0)
        }
        #expect(try evaluate("shard", "--matcher-command", command, "--shard", "1/1").status == 0)
        try FileManager.default.removeItem(atPath: starts)
        let before = try contents("run")
        let run = folder.file("run")
        for (words, status) in [
            (["report", run, "--details", "2", "--output", folder.file("report")], Int32(0)),
            (["compare", run, folder.file("other"), "--output", folder.file("compared")], 0),
            (["history", run, folder.file("other"), "--output", folder.file("history")], 0),
            (["baseline", "accept", run, "--name", folder.file("baseline.json")], 0),
            (["merge", folder.file("shard"), "--output", folder.file("merged")], 0),
            (["minimise", run, "--worst", "1", "--output", folder.file("cases")], 1),
        ] {
            let process = try EarshotProcess(arguments: words)
            #expect(process.status == status, "\(words): \(process.errors)")
            #expect(!FileManager.default.fileExists(atPath: starts), "\(words)")
            if words[0] != "minimise" { #expect(try contents("run") == before, "\(words)") }
        }
    }

    /// The bytes of every file of a folder, by name.
    private func contents(_ name: String) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file(name))
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Data(contentsOf: URL(fileURLWithPath: "\(folder.file(name))/\($0)")))
            })
    }

    @Test func aRunOfAnEarlierLayoutSaysHowToMakeItAgain() throws {
        #expect(try evaluate("run").status == 0)
        let script = """
            import sqlite3, sys
            store = sqlite3.connect(sys.argv[1])
            store.execute("delete from grdb_migrations")
            store.execute("insert into grdb_migrations values ('1')")
            store.commit()
            """
        let edit = try EarshotProcess(
            shell: "python3 -c \"$SCRIPT\" '\(folder.file("run"))/trials.sqlite'",
            environment: ["SCRIPT": script])
        #expect(edit.status == 0, "\(edit.errors)")
        let report = try EarshotProcess("report", folder.file("run"))
        #expect(report.status == 1)
        #expect(
            report.errors.contains(
                "was written by an earlier version of earshot. Run `earshot evaluate` again into another folder."
            ),
            "\(report.errors)")
    }
}
