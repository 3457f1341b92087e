import Evaluation
import Foundation
import TestSupport
import Testing

/// Runs divided into shards and merged, on music made by a formula.
@Suite(.serialized) struct ShardCommandTests {
    private static let plan = """
        name: tiny
        corpus: synthetic
        seed: 5
        positives: 4
        negatives: 3
        latencyTrials: 4
        lengthSeconds: 2
        families:
          - name: clean
          - {name: pink noise, unit: dB, severities: [0], chain: [{noise: {colour: pink, snrDecibels: $severity}}]}
        """

    private let folder: TemporaryFolder
    /// Its name needs quotes in a shell.
    private let plan: String

    init() throws {
        folder = try TemporaryFolder()
        plan = folder.file("it's tiny.yaml")
        try Self.plan.write(toFile: plan, atomically: true, encoding: .utf8)
    }

    private func words(_ output: String, _ more: [String]) -> [String] {
        ["evaluate", "--plan", plan, "--no-cache", "--output", folder.file(output)] + more
    }

    private func run(_ arguments: [String]) throws -> EarshotProcess {
        try EarshotProcess(arguments: arguments)
    }

    private func evaluate(_ output: String, _ more: String...) throws {
        let run = try run(words(output, more))
        #expect(run.status == 0, "\(run.errors)")
    }

    /// All files of a report without times, and the raw outcomes.
    private func comparable(_ name: String) throws -> [String: Data] {
        let output = folder.file(name + ".plain")
        let report = try EarshotProcess(
            "report", folder.file(name), "--reproducible", "--output", output, "--outcomes",
            output + "/outcomes.jsonl")
        #expect(report.status == 0, "\(report.errors)")
        let files = try FileManager.default.contentsOfDirectory(atPath: output)
        #expect(Set(files).isSuperset(of: ["trials.csv", "cells.csv", "report.html", "outcomes.jsonl"]))
        return Dictionary(
            uniqueKeysWithValues: files.map {
                ($0, FileManager.default.contents(atPath: "\(output)/\($0)") ?? Data())
            })
    }

    @Test func shardsMakeTheSameFilesAsOneRun() throws {
        try evaluate("one", "--jobs", "2")
        let names = (1...3).map { "shard-\($0)" }
        // The second is killed, goes on, and is meant for two processes at once meanwhile.
        let second = try EarshotProcess.Started(
            command: [EarshotProcess.binary] + words("shard-2", ["--shard", "2/3", "--jobs", "1"]))
        _ = second.reaches { second.errors.contains("trials: ") }
        kill(second.process.processIdentifier, SIGSTOP)
        let twin = try run(words("shard-2", ["--shard", "2/3"]))
        #expect(twin.status == 1 && twin.errors.contains("another evaluation is writing this folder"))
        kill(second.process.processIdentifier, SIGKILL)
        #expect(try second.finish().isSignalled)
        try evaluate("shard-1", "--shard", "1/3")
        try evaluate("shard-3", "--shard", "3/3", "--jobs", "2")
        let paths = names.map(folder.file)
        let early = try run(["merge"] + paths + ["--output", folder.file("merged")])
        #expect(early.status == 1, "\(early.errors)")
        let line = try #require(
            early.errors.split(separator: "\n").first { $0.contains(" --shard 2/3 --output ") },
            "\(early.errors)")
        let advised = try #require(ShellWord.words(of: String(line)))
        #expect(advised.starts(with: ["earshot", "evaluate", "--plan", plan]), "\(line)")
        let finished = try run(advised.dropFirst() + ["--no-cache"])
        #expect(finished.status == 0, "\(finished.errors)")

        let merged = try run(["merge"] + paths.reversed() + ["--output", folder.file("merged")])
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(merged.output.hasSuffix("merged/report.html\n"))
        let expected = try comparable("one")
        #expect(expected["outcomes.jsonl"]?.split(separator: 10).count == 14)
        #expect(try comparable("merged") == expected)
        #expect(try comparable("shard-1") != expected)

        try othersWorkOnAMergedRun()
        try killedMergesLeaveNothing(paths, expected)
        try mistakesAreNamed(paths)
    }

    private func othersWorkOnAMergedRun() throws {
        let baseline = folder.file("one.json")
        let accepted = try EarshotProcess("baseline", "accept", folder.file("one"), "--name", baseline)
        #expect(accepted.status == 0, "\(accepted.errors)")
        let rules = folder.file("rules.yaml")
        try """
        significance: 0.05
        rules:
          - {measure: errorRate, atMost: 0, hard: true}
          - {answers: sameUnlessVersion}
        """.write(toFile: rules, atomically: true, encoding: .utf8)
        let gate = try EarshotProcess("gate", folder.file("merged"), "--rules", rules, "--baseline", baseline)
        #expect(gate.status == 0, "\(gate.output)\(gate.errors)")
        let second = try EarshotProcess(
            "baseline", "accept", folder.file("merged"), "--name", folder.file("merged.json"))
        #expect(second.status == 0, "\(second.errors)")
        let compared = try EarshotProcess("compare", folder.file("one"), folder.file("merged"))
        #expect(compared.status == 0, "\(compared.errors)")
        for command in [["gate", "--rules", rules], ["baseline", "accept", "--name", "x"]] {
            let refused = try run(command + [folder.file("shard-1")])
            #expect(refused.status == 1 && refused.errors.contains("shard 1/3"), "\(refused.errors)")
        }
    }

    private func killedMergesLeaveNothing(_ paths: [String], _ expected: [String: Data]) throws {
        var killed = 0
        for round in 0..<6 {
            let name = "killed-\(round)"
            let merging = try EarshotProcess.Started(
                command: [EarshotProcess.binary, "merge"] + paths + [
                    "--output", folder.file("deaths/\(name)"),
                ])
            usleep(UInt32(1 + round) * 16_000)
            kill(merging.process.processIdentifier, SIGKILL)
            killed += try merging.finish().isSignalled ? 1 : 0
            let target = folder.file("deaths/\(name)")
            let isThere = FileManager.default.fileExists(atPath: target)
            #expect(isThere == FileManager.default.fileExists(atPath: target + "/report.html"))
            guard !isThere else { continue }
            let again = try run(["merge"] + paths + ["--output", target])
            #expect(again.status == 0, "\(again.errors)")
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.file("deaths"))
            #expect(left.allSatisfy { !$0.contains("merging") }, "\(left)")
        }
        #expect(killed > 0)
        #expect(try comparable("deaths/killed-0") == expected)
    }

    private func mistakesAreNamed(_ paths: [String]) throws {
        try evaluate("seed-6", "--shard", "2/3", "--seed", "6", "--matcher", "null")
        let output = ["--output", folder.file("x")]
        let mistakes: [([String], Int32, String)] = [
            (["merge"] + paths, 64, "--output"),
            (["merge"] + output, 64, "shards"),
            (["merge", paths[0], paths[2]] + output, 1, "shard 2/3 is missing"),
            (["merge"] + paths + [paths[1]] + output, 1, "named twice"),
            (["merge"] + paths + [folder.file("seed-6")] + output, 1, "seed 6 against 5"),
            (["merge"] + paths + [folder.file("one")] + output, 1, "a whole run, not a shard"),
            (["merge"] + paths + [folder.file("merged")] + output, 1, "a merged run, not a shard"),
            (["merge"] + paths + ["/nonexistent"] + output, 1, "/nonexistent"),
            (["merge"] + paths + ["--output", folder.file("merged")], 1, "already exists"),
            (["merge"] + paths + ["--output", "/proc/forbidden/x"], 1, "/proc/forbidden"),
            (words("shard-1", ["--shard", "1/4"]), 1, "holds shard 1/3"),
            (words("shard-1", []), 1, "holds shard 1/3"),
            (words("one", ["--shard", "1/3"]), 1, "holds the whole"),
            (words("x", ["--shard", "0/3"]), 64, "0/3"),
            (words("x", ["--shard", "4/3"]), 64, "4/3"),
            (words("x", ["--shard", "1/20000"]), 64, "1/20000"),
            (["report", folder.file("one"), "--reproducible"], 64, "--output"),
        ]
        for (arguments, status, text) in mistakes {
            let run = try run(arguments)
            #expect(run.status == status && run.errors.contains(text), "\(arguments): \(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("x")))
    }
}
