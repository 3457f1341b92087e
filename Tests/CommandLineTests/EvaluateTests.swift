import Foundation
import TestSupport
import Testing

/// The main job on music made by a formula: resuming, threads, locks and full disks.
@Suite(.serialized) struct EvaluateTests {
    static let plan = """
        name: tiny
        corpus: synthetic
        seed: 5
        positives: 6
        negatives: 3
        negativeFolds: 2
        latencyTrials: 4
        lengthSeconds: 3
        families:
          - name: clean
          - name: pink noise
            unit: dB
            severities: [5, 0]
            chain: [{noise: {colour: pink, snrDecibels: $severity}}]
          - name: tempo
            unit: "%"
            severities: [3]
            chain: [{tempo: {percent: $severity}}]
          - name: rate by format
            cross: {rate: [37800, 48000], encoding: [mp3-64k]}
            chain: [{resample: {sampleRateHertz: $rate}}, {format: {encoding: $encoding, exactRate: true}}]
          - name: silence
            source: silence
        """

    /// A folder with the plan in it.
    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try Self.plan.write(toFile: folder.path + "/tiny.yaml", atomically: true, encoding: .utf8)
        return folder
    }

    /// The table of trials without its latency columns, which stand last.
    private func trials(_ path: String) throws -> [String] {
        let lines = try String(contentsOfFile: path + "/trials.csv", encoding: .utf8)
            .split(separator: "\r\n", omittingEmptySubsequences: true)
        let header = try #require(lines.first).split(separator: ",")
        let latencyColumns = header.filter { $0.hasSuffix("Milliseconds") }.count
        try #require(latencyColumns >= 1)
        return lines.map {
            $0.split(separator: ",", omittingEmptySubsequences: false).dropLast(latencyColumns).joined(
                separator: ",")
        }
    }

    /// Before a run it says what a gate would find after it.
    @Test func aDryRunSaysWhatAGateWouldFind() throws {
        let dry = try EarshotProcess(arguments: ["evaluate", "--dry-run", "--plan", "accuracy"])
        #expect(dry.status == 0, "\(dry.errors)")
        let loss = try #require(
            dry.output.firstMatch(of: /a loss of (.+?) is found in 90 % of runs/)?.output.1)
        let power = try EarshotProcess(arguments: ["gate", "accuracy", "--power"])
        #expect(power.output.contains(" \(loss) "), "\(power.output)")
        let other = try EarshotProcess(
            arguments: ["evaluate", "--dry-run", "--plan", "accuracy", "--rules", "missing"])
        #expect(other.status != 0 && other.errors.contains("missing: no such rules"), "\(other.errors)")
    }

    @Test func runsAreTheSameOnOneAndTwoThreadsAndAfterAKill() throws {
        let folder = try folder()
        let plan = folder.path + "/tiny.yaml"
        let evaluate = ["evaluate", "--plan", plan, "--details", "0"]
        let one = try EarshotProcess(
            arguments: evaluate + ["--jobs", "1", "--output", folder.path + "/one"])
        #expect(one.status == 0, "\(one.errors)")
        #expect(one.output.hasSuffix("one/report.html\n"))
        let two = try EarshotProcess(
            arguments: evaluate + ["--jobs", "2", "--output", folder.path + "/two", "--progress", "json"])
        #expect(two.status == 0, "\(two.errors)")
        struct Progress: Decodable { let stage: String, done: Int, total: Int, seconds: Double }
        let progress = try two.errors.split(separator: "\n").filter { $0.hasPrefix("{") }
            .map { try JSONDecoder().decode(Progress.self, from: Data($0.utf8)) }
        #expect(progress.contains { $0.stage == "trials" })
        #expect(progress.last.map { $0.done == $0.total && $0.seconds > 0 } == true)
        let expected = try trials(folder.path + "/one")
        #expect(expected.count == 1 + 7 * 9 - 6)
        #expect(try trials(folder.path + "/two") == expected)
        let folds = try #require(expected[0].split(separator: ",").firstIndex(of: "fold"))
        let leftOut = expected.dropFirst().map {
            $0.split(separator: ",", maxSplits: folds + 1, omittingEmptySubsequences: false)[folds]
        }
        #expect(Set(leftOut) == ["", "0", "1"])

        let killed = folder.path + "/killed"
        let running = try EarshotProcess.Started(
            command: [EarshotProcess.binary, "evaluate", "--plan", plan, "--jobs", "1", "--output", killed])
        let store = killed + "/trials.sqlite-wal"
        _ = running.reaches {
            (try? FileManager.default.attributesOfItem(atPath: store)[.size] as? Int) ?? 0 >= 200_000
        }
        kill(running.process.processIdentifier, SIGKILL)
        let death = try running.finish()
        #expect(death.isSignalled, "it ended before it could be killed: \(death.errors)")
        #expect(!FileManager.default.fileExists(atPath: killed + "/trials.csv"))
        let resumed = try EarshotProcess(arguments: evaluate + ["--jobs", "2", "--output", killed])
        #expect(resumed.status == 0, "\(resumed.errors)")
        #expect(try trials(killed) == expected)
    }

    @Test func aSecondRunOnOneStoreIsRefused() throws {
        let folder = try folder()
        let plan = folder.path + "/tiny.yaml"
        let output = folder.path + "/run"
        let first = try EarshotProcess.Started(
            command: [EarshotProcess.binary, "evaluate", "--plan", plan, "--output", output])
        _ = first.reaches { FileManager.default.fileExists(atPath: output + "/trials.sqlite-wal") }
        let second = try EarshotProcess("evaluate", "--plan", plan, "--output", output)
        #expect(second.status == 1)
        #expect(second.errors.contains("another evaluation"), "\(second.errors)")
        #expect(try first.finish().status == 0)
    }

    /// The adapter refuses the 130th sound; the first 128 are of no trial.
    @Test func errorsAreTriedAgainOnlyOnRequest() throws {
        let folder = try folder()
        let script = try HostileScript("refuse", at: 130)
        func errors(_ options: String...) throws -> Int {
            let run = try EarshotProcess(
                arguments: [
                    "evaluate", "--plan", folder.path + "/tiny.yaml", "--jobs", "1", "--no-cache",
                    "--details", "0",
                    "--matcher-command", script.commandLine, "--output", folder.path + "/run",
                ] + options)
            #expect(run.status == 0, "\(run.errors)")
            return try trials(folder.path + "/run").filter { $0.contains("cannot <b>read") }.count
        }
        #expect(try errors() == 1)
        #expect(try errors() == 1)
        #expect(try errors("--retry-errors") == 0)
    }

    @Test func aFullDiskEndsInAnErrorAndLosesNothing() throws {
        let folder = try folder()
        let plan = folder.path + "/tiny.yaml"
        let output = folder.path + "/run"
        // A limit on file size acts like a full disk. The shell ignores SIGXFSZ, so that writes fail instead.
        let limited = try EarshotProcess(
            shell:
                "trap '' XFSZ; ulimit -f 96; exec \"$EARSHOT\" evaluate --plan '\(plan)' --output '\(output)'"
        )
        #expect(limited.status == 1, "\(limited.errors)")
        #expect(!limited.isSignalled)
        #expect(!limited.errors.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: output + "/report.html"))
        let evaluate = ["evaluate", "--plan", plan, "--details", "0", "--output"]
        let resumed = try EarshotProcess(arguments: evaluate + [output])
        #expect(resumed.status == 0, "\(resumed.errors)")
        let undisturbed = try EarshotProcess(arguments: evaluate + [output + "2"])
        #expect(undisturbed.status == 0, "\(undisturbed.errors)")
        #expect(try trials(output) == trials(output + "2"))
    }

    @Test func controlsGiveNoughtAndOneEverywhere() throws {
        let folder = try folder()
        for (matcher, recall) in [("null", 0.0), ("oracle", 1.0)] {
            let output = folder.path + "/" + matcher
            let run = try EarshotProcess(
                "evaluate", "--plan", folder.path + "/tiny.yaml", "--matcher", matcher, "--details", "0",
                "--output", output)
            #expect(run.status == 0, "\(run.errors)")
            let lines = try String(contentsOfFile: output + "/cells.csv", encoding: .utf8)
                .split(separator: "\r\n", omittingEmptySubsequences: true).map {
                    $0.split(separator: ",", omittingEmptySubsequences: false)
                }
            let header = try #require(lines.first)
            let recallColumn = try #require(header.firstIndex(of: "recall"))
            let recalls = lines.dropFirst().compactMap { Double($0[recallColumn]) }
            #expect(recalls.count >= 5)
            #expect(recalls.allSatisfy { $0 == recall }, "\(matcher): \(recalls)")
        }
    }

    @Test(arguments: [
        (["evaluate", "--plan", "no-such-plan"], Int32(1), "no-such-plan"),
        (["evaluate", "--matcher", "nobody"], 64, "nobody"),
        (["evaluate", "--jobs", "0"], 64, "--jobs"),
        (["match", "--catalog", "none", "--minimum-score=nan", "none.wav"], 64, "--minimum-score"),
        (["evaluate", "--negative-folds", "1"], 64, "--negative-folds"),
        (
            ["evaluate", "--plan", "copies", "--corpus", "synthetic", "--negative-folds", "3"], 1,
            "speedCopies"
        ),
        (["evaluate", "--corpus", "no-such-corpus"], 1, "no-such-corpus"),
        (["report", "/nonexistent"], 1, "/nonexistent"),
        (["degrade", "--plan", "smoke", "--output", "/proc/forbidden"], 1, "/proc/forbidden"),
        (["degrade", "/nonexistent.wav", "--output", "/tmp"], 1, "/nonexistent.wav"),
    ])
    func mistakesAreNamed(_ arguments: [String], _ status: Int32, _ name: String) throws {
        let words = arguments.map { "'\($0)'" }.joined(separator: " ")
        let run = try EarshotProcess(
            shell: "exec \"$EARSHOT\" \(words)", environment: EarshotProcess.projectCorpora)
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.contains(name), "\(run.errors)")
    }

    @Test(arguments: [
        "arena run --matcher null", "custom-catalog create --signature-asset none --output none", "evaluate",
        "frontier", "growth", "intros", "minimise", "passages", "streams", "try", "tune",
    ])
    func tooManyThreadsAreRefused(_ command: String) throws {
        let words = command.split(separator: " ").map(String.init) + ["--jobs", "9223372036854775807"]
        let run = try EarshotProcess(arguments: words)
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.errors.contains("--jobs 9223372036854775807 is not in 1...4096"), "\(run.errors)")
    }
}
