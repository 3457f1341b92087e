import Foundation
import TestSupport
import Testing

/// Streams and growth on music made by a formula, from the command to its files.
@Suite(.serialized) struct StreamsTests {
    private func run(_ arguments: String...) throws -> EarshotProcess {
        try EarshotProcess.Started(command: [EarshotProcess.binary] + arguments).finish()
    }

    private func plan(in folder: TemporaryFolder) throws -> String {
        let path = folder.file("tiny.yaml")
        try Data(
            """
            name: tiny
            corpus: synthetic
            seed: 5
            positives: 3
            negatives: 2
            lengthSeconds: 3
            families:
              - {name: clean}
            """.utf8
        ).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func aPlanIsPlayed() throws {
        let folder = try TemporaryFolder()
        let run = try run(
            "streams", "--plan", plan(in: folder), "--lead", "3", "--output", folder.file("out"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("seed 5, 3 queries"))
        #expect(run.output.contains("clean 3 s: 3 queries"))
        #expect(run.output.hasSuffix("\(folder.file("out"))/streams.html\n"))
        let page = try String(contentsOfFile: folder.file("out/streams.html"), encoding: .utf8)
        #expect(page.contains("Request") && page.contains("of other music"))
        for name in ["streams.csv", "cells.csv", "curves.csv"] {
            #expect(FileManager.default.fileExists(atPath: folder.file("out/\(name)")), "\(name)")
        }
    }

    @Test func negativesArePlayedAndTheirChainsKept() throws {
        let folder = try TemporaryFolder()
        let arguments = ["streams", "--negatives", "--corpus", "synthetic", "--output", folder.file("out")]
        let first = try EarshotProcess.Started(command: [EarshotProcess.binary] + arguments).finish()
        #expect(first.status == 0, "\(first.errors)")
        #expect(
            first.output.contains("distinct, against") && first.output.contains(" 0 false, 0 an hour (0–"))
        let again = try EarshotProcess.Started(command: [EarshotProcess.binary] + arguments).finish()
        #expect(again.status == 0 && again.output == first.output)
        #expect(again.errors.contains("1 of 1 chains are in"))
        let other = try EarshotProcess.Started(
            command: [EarshotProcess.binary] + arguments + ["--half", "tuning"]
        ).finish()
        #expect(other.status == 1 && other.errors.contains("--fresh"))
    }

    @Test func aCatalogGrows() throws {
        let folder = try TemporaryFolder()
        let run = try run(
            "growth", "--plan", plan(in: folder), "--hours", "0.05", "1", "--no-cache", "--output",
            folder.file("out"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.split(separator: "\n").count == 3)
        #expect(run.output.contains("1.00 h (") && run.output.hasSuffix("growth.html\n"), "\(run.output)")
        let table = try String(contentsOfFile: folder.file("out/growth.csv"), encoding: .utf8)
        #expect(table.split(separator: "\r\n").count == 1 + 2 + 2)
    }

    @Test(arguments: [
        (["streams", "--negatives", "--lead", "3"], Int32(64), "--lead and --negatives exclude each other"),
        (["streams", "--chain", "[]"], 64, "--chain belongs to --negatives"),
        (
            ["streams", "--negatives", "--shard", "1/2"], 64, "--shard and --negatives exclude each other"
        ),
        (["streams", "--block", "0"], 64, "--block 0"),
        (["streams", "--lead", "-1"], 64, "--lead"),
        (["streams", "--jobs", "0"], 64, "--jobs"),
        (["streams", "--plan", "none.yaml"], 1, "none.yaml"),
        (["streams", "--plan", "streams", "--corpus", "nowhere"], 1, "nowhere"),
        (["streams", "--plan", "smoke", "--matcher", "null"], 1, "null does not listen to streams"),
        (
            ["streams", "--negatives", "--corpus", "synthetic", "--chain", "[{speed: 7}]"], 1, "speed"
        ),
        (
            ["streams", "--negatives", "--corpus", "synthetic", "--chain", "[]", "--chain", "[ ]"], 1,
            "are the same"
        ),
        (["growth", "--hours", "0"], 64, "--hours 0.0"),
        (["growth", "--plan", "smoke", "--hours", "5", "--matcher", "null"], 1, "no synthetic references"),
        (["growth", "--plan", "smoke", "--negative-folds", "3"], 1, "folds"),
    ])
    func mistakesAreNamed(_ arguments: [String], _ status: Int32, _ name: String) throws {
        let folder = try TemporaryFolder()
        let run = try EarshotProcess.Started(
            command: [EarshotProcess.binary] + arguments + ["--output", folder.file("out")]
        ).finish()
        #expect(run.status == status, "\(arguments) \(run.errors)")
        #expect(run.errors.contains(name), "\(run.errors)")
    }
}
