import AudioCore
import AudioIO
import Corpora
import Foundation
import SystemIO
import TestSupport
import Testing

/// Every command that takes a plan takes a list of recorded queries.
@Suite struct RecordedListTests {
    private let folder: TemporaryFolder
    private let environment: [String: String]
    private let list: [String]

    /// 48 references of 4 s, and of each a recording of 2 s: a quiet cut in noise.
    init() throws {
        folder = try TemporaryFolder()
        environment = ["XDG_CACHE_HOME": folder.file("cache")]
        let (music, queries) = (try folder.makeFolder("music"), try folder.makeFolder("queries"))
        let wav = try #require(AudioEncoding("wav-pcm16"))
        for seed in UInt64(0)..<48 {
            let piece = SyntheticMusic(seed: 70 + seed, seconds: 4).render()
            try AudioFile.write(piece, to: "\(music)/r\(seed).wav", as: wav)
            var generator = SeededGenerator(seed: seed)
            let samples = piece.frames(44_100..<(3 * 44_100)).mono()
                .map { 0.1 * $0 + 0.01 * Float(generator.unit() - 0.5) }
            try AudioFile.write(
                AudioBuffer(samples: samples, sampleRate: 44_100), to: "\(queries)/q\(seed).wav", as: wav)
        }
        let rows = (0..<48).map { "q\($0),r\($0),1\n" }.joined()
        try AtomicFile.write("query,reference,offsetSeconds\n" + rows, to: folder.file("list.csv"))
        list = ["--references", music, "--queries", folder.file("list.csv"), "--query-folder", queries]
    }

    private func earshot(_ words: [String], _ status: Int32 = 0) throws -> EarshotProcess {
        let run = try EarshotProcess.Started(
            command: [EarshotProcess.binary] + words, environment: environment
        ).finish()
        #expect(run.status == status, "\(words[0]): \(run.output)\(run.errors)")
        return run
    }

    @Test func runsOfAListAreComparedAndJudged() throws {
        let evaluate = ["evaluate"] + list + ["--negative-folds", "3", "--details", "0"]
        _ = try earshot(evaluate + ["--output", folder.file("own")])
        _ = try earshot(evaluate + ["--matcher", "null", "--output", folder.file("null")])
        let compared = try earshot(["compare", folder.file("own"), folder.file("null")])
        #expect(compared.output.contains("recall"), "\(compared.output)")
        let baseline = folder.file("baseline.json")
        _ = try earshot(["baseline", "accept", folder.file("own"), "--name", baseline])
        let rules = folder.file("rules.yaml")
        try AtomicFile.write(
            """
            rules:
              - {measure: recall, noLossBeyond: 0.1}
              - {measure: falseAcceptRate, atMost: 0, hard: true}
            """, to: rules)
        let judge = ["--rules", rules, "--baseline", baseline]
        let own = try earshot(["gate", folder.file("own")] + judge)
        #expect(own.output.contains("Nothing was compared: the baseline is this run"), "\(own.output)")
        let lost = try earshot(["gate", folder.file("null")] + judge, 2)
        #expect(lost.output.contains("48"), "\(lost.output)")
        // Without folds the trials are others.
        _ = try earshot(["evaluate"] + list + ["--details", "0", "--output", folder.file("positives")])
        _ = try earshot(["gate", folder.file("positives")] + judge, 5)
    }

    /// Rows in another order, under another name of the list and with a query more, are the same queries.
    @Test func aListInAnotherOrderIsCompared() throws {
        let evaluate = ["evaluate", "--matcher", "oracle", "--details", "0"]
        _ = try earshot(evaluate + list + ["--output", folder.file("first")])
        let baseline = folder.file("baseline.json")
        _ = try earshot(["baseline", "accept", folder.file("first"), "--name", baseline])
        let rows = (0..<48).reversed().map { "q\($0),r\($0),1\n" }.joined() + "q3,r3,1.25\n"
        var other = list
        other[3] = folder.file("other.csv")
        try AtomicFile.write(
            "query,reference,offsetSeconds\n" + rows.replacing("q3,r3,1\n", with: ""), to: other[3])
        _ = try earshot(evaluate + other + ["--output", folder.file("second")])
        let rules = folder.file("rules.yaml")
        try AtomicFile.write("rules: [{measure: recall, noLossBeyond: 0.1}]", to: rules)
        let gate = try earshot(["gate", folder.file("second"), "--rules", rules, "--baseline", baseline])
        #expect(
            gate.output.contains("1 changed") && !gate.output.contains("Nothing was compared"),
            "\(gate.output)")
    }

    @Test func aFirstBaselineMustFindSomething() throws {
        _ = try earshot(
            ["evaluate", "--matcher", "null", "--details", "0", "--output", folder.file("null")] + list)
        let accept = ["baseline", "accept", folder.file("null"), "--name", folder.file("baseline.json")]
        let refused = try earshot(accept, 5)
        #expect(refused.errors.contains("finds 0 of 48 queries") && refused.errors.contains("--anyway"))
        _ = try earshot(accept + ["--anyway"])
        let rules = folder.file("rules.yaml")
        try AtomicFile.write("rules: [{measure: recall, noLossBeyond: 0.1}]", to: rules)
        let judge = [
            "gate", folder.file("null"), "--rules", rules, "--baseline", folder.file("baseline.json"),
        ]
        #expect(try earshot(judge, 5).errors.contains("which is no first baseline"))
    }

    @Test func theArenaRunsAList() throws {
        let arena = ["arena", "run", "--matcher", "oracle", "--matcher", "earshot", "--no-cache"] + list
        let refused = try earshot(arena + ["--output", folder.file("none")], 64)
        #expect(refused.errors.contains("--negative-folds"), "\(refused.errors)")
        _ = try earshot(arena + ["--negative-folds", "3", "--output", folder.file("arena")])
        let board = try String(contentsOfFile: folder.file("arena/leaderboard.csv"), encoding: .utf8)
        #expect(board.split(separator: "\r\n").count == 3, "\(board)")
        #expect(board.contains("48"), "\(board)")
    }

    @Test func tuneSearchesOneHalfOfAListAndChecksTheOther() throws {
        let run = try earshot(
            ["tune"] + list + [
                "--negative-folds", "2", "--candidates", "2", "--search", "lookup.leastPairs", "--output",
                folder.file("tune"), "--ledger", folder.file("ledger.jsonl"),
            ])
        #expect(run.output.contains("held out"), "\(run.output)")
        let counts = run.errors.matches(of: /(tuning|test) half, (\d+) trials/).compactMap { Int($0.2) }
        #expect(counts.count == 2 && counts.reduce(0, +) == 96, "\(run.errors)")
    }

    @Test func aFrontierDegradesRecordedQueriesFurther() throws {
        let plan = folder.file("axes.yaml")
        try AtomicFile.write(
            FrontierTests.plan.replacing("lengthSeconds: 3", with: "lengthSeconds: 2"), to: plan)
        let run = try earshot(
            ["frontier", "--plan", plan, "--positives", "3", "--output", folder.file("frontier")] + list)
        #expect(run.output.hasSuffix("frontier.html\n"))
        let rows = try String(contentsOfFile: folder.file("frontier/frontier.csv"), encoding: .utf8)
            .split(separator: "\r\n")
        #expect(rows.count == 1 + 3)
        let refused = try earshot(
            ["minimise", folder.file("frontier"), "--worst", "1", "--output", folder.file("cases")], 1)
        #expect(refused.errors.contains("recorded queries"), "\(refused.errors)")
    }

    @Test(arguments: [
        ["evaluate", "--start-shift", "5"], ["arena", "run", "--matcher", "null", "--folder", "music"],
        ["tune", "--output", "t", "--positives", "3"], ["frontier", "--corpus", "synthetic"],
    ])
    func optionsThatDoNotApplyAreRefused(_ words: [String]) throws {
        #expect(try earshot(words + list, 64).errors.contains("--queries"))
    }
}
