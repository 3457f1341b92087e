import Evaluation
import Foundation
import Glibc
import TestSupport
import Testing

/// Studies that are killed and started again, on music made by a formula.
@Suite(.serialized) struct StudyResumeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let plan: String
        let arguments: [String]
        /// The number of outcomes in the store before the kill.
        let outcomes: Int
        let tables: [String]

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let queries = """
        name: tiny
        corpus: synthetic
        seed: 5
        positives: 6
        negatives: 2
        lengthSeconds: 3
        families:
          - {name: clean}
        """

    private static let episodes = """
        name: intros
        corpus: synthetic
        seed: 5
        sets: 2
        episodes: [3]
        queriedEpisodes: 2
        introSeconds: 8
        openingSeconds: {from: 0, to: 4}
        bodySeconds: 6
        queryLengths: [3]
        tails: [1, 2]
        skewSpacings: [0.5]
        skewQueries: 2
        conditions:
          - {name: clean}
        """

    static let cases = [
        Case(
            plan: queries, arguments: ["streams", "--lead", "3"], outcomes: 2,
            tables: ["streams.csv", "cells.csv", "curves.csv"]),
        Case(
            plan: queries, arguments: ["growth", "--hours", "0.1", "0.2", "--no-cache"], outcomes: 3,
            tables: ["growth.csv", "answers.csv"]),
        Case(
            plan: episodes, arguments: ["intros"], outcomes: 1,
            tables: ["trials.csv", "cells.csv", "delays.csv", "tags.csv", "confusion.csv"]),
        Case(
            plan: FrontierTests.plan, arguments: ["frontier", "--positives", "4"], outcomes: 1,
            tables: ["frontier.csv"]),
        Case(
            plan: "",
            arguments: [
                "streams", "--negatives", "--corpus", "synthetic", "--chain", "[]", "--chain",
                "[{gain: {decibels: -6}}]",
            ], outcomes: 1, tables: ["negatives.csv", "false-matches.csv"]),
    ]

    /// A table without the columns that depend on the clock and the memory.
    private func table(_ path: String) throws -> [[String]] {
        let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\r\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let kept = rows[0].indices.filter { column in
            !["rocessorSeconds", "residentBytes"].contains { rows[0][column].contains($0) }
        }
        return rows.map { row in kept.map { row[$0] } }
    }

    private func expect(_ tables: [String], of name: String, in folder: TemporaryFolder) throws {
        for file in tables {
            let path = folder.file("whole/" + file)
            #expect(try table(folder.file("\(name)/\(file)")) == table(path), "\(name)/\(file)")
        }
    }

    /// - Parameter store: the folder of the store, below the output folder.
    private func killAndResume(
        _ arguments: [String], store: String = "", outcomes: Int, tables: [String], in folder: TemporaryFolder
    ) throws {
        func command(_ output: String) -> [String] {
            [EarshotProcess.binary] + arguments + ["--jobs", "1", "--output", folder.file(output)]
        }
        let whole = try EarshotProcess.Started(command: command("whole")).finish()
        #expect(whole.status == 0, "\(whole.errors)")

        let killed = folder.file("killed" + store)
        try EarshotProcess.Started(command: command("killed")).kill(whenStored: outcomes, in: killed)
        let stored = EarshotProcess.storedOutcomes(in: killed)
        #expect(
            stored >= outcomes && stored < EarshotProcess.storedOutcomes(in: folder.file("whole" + store)))
        let early = try EarshotProcess("report", killed)
        #expect(early.status == 1 && early.errors.contains("not finished"), "\(early.errors)")
        let resumed = try EarshotProcess.Started(command: command("killed")).finish()
        #expect(resumed.status == 0, "\(resumed.errors)")
        try expect(tables, of: "killed", in: folder)
    }

    @Test(arguments: cases) func aKilledStudyEndsAsOneThatWasNot(_ one: Case) throws {
        let folder = try TemporaryFolder()
        let plan = folder.file("plan.yaml")
        try one.plan.write(toFile: plan, atomically: true, encoding: .utf8)
        try killAndResume(
            one.arguments + (one.plan.isEmpty ? [] : ["--plan", plan]), outcomes: one.outcomes,
            tables: one.tables, in: folder)
        let report = try EarshotProcess(
            "report", folder.file("killed"), "--output", folder.file("again"))
        guard one.arguments[0] != "frontier" else {
            #expect(report.status == 1 && report.errors.contains("only `frontier` itself"))
            return
        }
        #expect(report.status == 0, "\(report.errors)")
        try expect(one.tables, of: "again", in: folder)
        let refused = try EarshotProcess(
            "report", folder.file("killed"), "--outcomes", folder.file("outcomes.jsonl"))
        #expect(refused.status == 64 && refused.errors.contains("holds a study"), "\(refused.errors)")
    }

    @Test func aKilledMinimisationEndsAsOneThatWasNot() throws {
        let folder = try TemporaryFolder()
        let (plan, run) = (folder.file("plan.yaml"), folder.file("run"))
        try FrontierTests.plan.write(toFile: plan, atomically: true, encoding: .utf8)
        let frontier = try EarshotProcess("frontier", "--plan", plan, "--positives", "4", "--output", run)
        #expect(frontier.status == 0, "\(frontier.errors)")
        try killAndResume(
            ["minimise", run, "--worst", "4", "--longest", "4"], store: "/cases", outcomes: 1,
            tables: ["minimised.csv", "commands.tsv"], in: folder)
    }
}

extension EarshotProcess {
    /// The number of raw outcomes of the study in a folder; 0 if there is none.
    static func storedOutcomes(in folder: String) -> Int {
        let path = folder + "/trials.sqlite"
        guard FileManager.default.fileExists(atPath: path), let store = try? TrialStore(path: path) else {
            return 0
        }
        return (try? store.storedRuns().first?.doneCount) ?? 0
    }
}

extension EarshotProcess.Started {
    /// Kills the process once its study has stored `count` outcomes.
    func kill(whenStored count: Int, in folder: String) throws {
        _ = reaches { EarshotProcess.storedOutcomes(in: folder) >= count }
        Glibc.kill(process.processIdentifier, SIGKILL)
        let death = try finish()
        #expect(death.isSignalled, "it ended before it could be killed: \(death.errors)")
    }
}
