import AudioIO
import Corpora
import Foundation
import TestSupport
import Testing

/// Searching settings on music made by a formula: resuming after a kill, mistakes, ask and tell.
@Suite(.serialized) struct TuneTests {
    static let plan = """
        name: tiny
        corpus: synthetic
        seed: 5
        positives: 4
        negatives: 2
        lengthSeconds: 1
        families:
          - {name: clean}
          - {name: pink noise, severities: [-6], chain: [{noise: {colour: pink, snrDecibels: $severity}}]}
        """

    private func command(_ folder: TemporaryFolder, _ output: String, _ more: String...) throws -> [String] {
        let plan = folder.file("tiny.yaml")
        try Self.plan.write(toFile: plan, atomically: true, encoding: .utf8)
        return [
            EarshotProcess.binary, "tune", "--plan", plan, "--output", folder.file(output), "--ledger",
            folder.file("ledger.jsonl"), "--set", "lookup.leastPairs=15", "--search",
            "lookup.leastPairs,lookup.candidates",
        ] + more
    }

    /// The table without its last two columns, which depend on the clock.
    private func table(_ path: String) throws -> [String] {
        try String(contentsOfFile: path + "/tuning.csv", encoding: .utf8)
            .split(separator: "\r\n", omittingEmptySubsequences: true)
            .map {
                $0.split(separator: ",", omittingEmptySubsequences: false).dropLast(2).joined(separator: ",")
            }
    }

    @Test func aKilledSearchEndsAsOneThatWasNot() throws {
        let folder = try TemporaryFolder()
        let whole = try EarshotProcess.Started(
            command: command(folder, "whole", "--candidates", "5", "--jobs", "1")
        ).finish()
        #expect(whole.status == 0, "\(whole.errors)")
        let expected = try table(folder.file("whole"))
        #expect(expected.count == 1 + 6)
        #expect(whole.output.contains("look number 1"))
        #expect(whole.output.contains("  at the threshold of the tuning half ("), "\(whole.output)")
        #expect(whole.output.contains(" negatives falsely accepted, "), "\(whole.output)")
        for name in ["tuning.json", "tuning.html", "trials.sqlite"] {
            #expect(FileManager.default.fileExists(atPath: folder.file("whole/" + name)), "\(name)")
        }

        let running = try EarshotProcess.Started(
            command: command(folder, "killed", "--candidates", "5", "--jobs", "2"))
        try running.kill(whenStored: 3, in: folder.file("killed"))
        let resumed = try EarshotProcess.Started(
            command: command(folder, "killed", "--candidates", "5", "--jobs", "2")
        ).finish()
        #expect(resumed.status == 0, "\(resumed.errors)")
        #expect(resumed.errors.contains("measurements are reused"), "\(resumed.errors)")
        #expect(try table(folder.file("killed")) == expected)
        #expect(whole.output.split(separator: "\n").last == resumed.output.split(separator: "\n").last)

        let again = try EarshotProcess.Started(
            command: command(folder, "killed", "--candidates", "5")
        ).finish()
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.contains("look number 2"), "a finished search looks no more: \(again.output)")
        let other = try EarshotProcess.Started(
            command: command(folder, "killed", "--candidates", "5", "--search-seed", "2")
        ).finish()
        #expect(other.status == 1)
        #expect(other.errors.contains("seed is 1, now 2"), "\(other.errors)")
    }

    @Test func aFolderOfFewHoldsNoHalfOut() throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        let wav = try #require(AudioEncoding("wav-pcm16"))
        for seed in UInt64(0)..<2 {
            try AudioFile.write(
                SyntheticMusic(seed: seed, seconds: 9).render(), to: "\(music)/\(seed).wav", as: wav)
        }
        let cases: [([String], String)] = [
            ([], "give --no-look"), (["--look-at", "lookup.leastPairs=5"], "none to look at"),
        ]
        for (more, words) in cases {
            let run = try EarshotProcess.Started(
                command: command(folder, "few") + ["--folder", music] + more,
                environment: ["XDG_CACHE_HOME": folder.file("cache")]
            ).finish()
            #expect(run.status == 64 && run.output.isEmpty, "\(run.output)")
            #expect(run.errors.contains("too few recordings to hold a half out"), "\(run.errors)")
            #expect(run.errors.contains(words), "\(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("ledger.jsonl")))
    }

    @Test func aWorkerAnswersLineByLine() throws {
        let folder = try TemporaryFolder()
        let words = try command(folder, "worker", "--evaluate").map { "'\($0)'" }.joined(separator: " ")
        let worker = try EarshotProcess(
            shell: "printf '{\"settings\": {\"lookup.leastPairs\": 5}, \"rung\": 0}\\nnonsense\\n' | \(words)"
        )
        #expect(worker.status == 0, "\(worker.errors)")
        let lines = worker.output.split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[0].contains("\"rungTrials\":[4,4,12]"), "\(lines[0])")
        #expect(lines[1].contains("recallAtZeroFalseAccepts"))
        #expect(lines[2].contains("error"))
    }

    @Test(arguments: [
        (["--set", "lookup.nothing=1"], Int32(1), "lookup.nothing"),
        (["--set", "lookup.candidates=1"], 1, "lookup.candidates cannot be 1"),
        (["--search", "lookup.nothing"], 1, "lookup.nothing"),
        (["--matcher", "null"], 1, "nothing to search"),
        (["--negatives", "0", "--plan", "smoke"], 1, "negative"),
        (["--candidates", "0"], 64, "--candidates"),
        (["--budget-minutes", "0"], 64, "--budget-minutes"),
        (["--budget-minutes", "5", "--candidates", "5"], 64, "exclude"),
        (["--jobs", "0"], 64, "--jobs"),
        (["--goal", "speed"], 64, "--goal"),
        (["--goal", "milliseconds"], 1, "recall is no goal"),
        (["--at-most", "falseAccepts=1"], 1, "expected a share"),
        (["--at-most", "milliseconds=0"], 1, "expected a number above 0"),
        (["--at-most", "recall=0.5"], 1, "recall has no limit"),
        (["--at-most", "milliseconds=2", "--at-most", "milliseconds=3"], 1, "twice"),
        (["--at-most", "milliseconds"], 64, "--at-most"),
        (["--settings-file", "none.yaml"], 64, "--matcher-command"),
    ])
    func mistakesAreNamed(_ arguments: [String], _ status: Int32, _ name: String) throws {
        let folder = try TemporaryFolder()
        let run = try EarshotProcess.Started(
            command: [EarshotProcess.binary, "tune", "--output", folder.file("run")] + arguments,
            environment: EarshotProcess.projectCorpora
        ).finish()
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.contains(name), "\(run.errors)")
    }
}
