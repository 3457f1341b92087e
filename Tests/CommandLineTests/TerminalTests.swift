import AudioIO
import Corpora
import Foundation
import TestSupport
import Testing

/// What commands print on a terminal, and what elsewhere.
@Suite struct TerminalTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let wav = try #require(AudioEncoding("wav-pcm16"))
        let song = SyntheticMusic(seed: 501, seconds: 20).render()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/music", withIntermediateDirectories: true)
        try AudioFile.write(song, to: folder.path + "/music/song.wav", as: wav)
        try AudioFile.write(
            song.frames((3 * song.sampleRate)..<(8 * song.sampleRate)), to: folder.path + "/query.wav",
            as: wav)
        try AudioFile.write(
            SyntheticMusic(seed: 900, seconds: 5).render(), to: folder.path + "/stranger.wav", as: wav)
        let made = try EarshotProcess(
            "custom-catalog", "create", "-s", folder.path + "/music", "-o", folder.path + "/c.earcatalog")
        #expect(made.status == 0, "\(made.errors)")
    }

    /// Runs a command line in a terminal.
    private func terminal(
        _ arguments: String, columns: UInt16 = 80, environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        let terminal = try PseudoTerminal(
            ["/bin/sh", "-c", "exec \"$EARSHOT\" \(arguments)"], in: folder.path, columns: columns,
            environment: environment)
        let status = try terminal.finish()
        return (status, terminal.text)
    }

    /// Whether no line is wider than the terminal, whatever is drawn over.
    private func fits(_ text: String, columns: Int = 80) -> Bool {
        text.replacing(/\u{1B}\[[0-9;]*[a-zA-Z]/, with: "").split { $0.isNewline || $0 == "\r" }
            .allSatisfy { $0.count <= columns || $0.contains(folder.path) }
    }

    private var match: String {
        "match --catalog \(folder.path)/c.earcatalog \(folder.path)/query.wav \(folder.path)/stranger.wav"
    }

    @Test func matchPrintsTextOnATerminalAndJSONElsewhere() throws {
        let text = try terminal(match).output
        #expect(text.contains("query.wav     song") && text.contains("  at 0:0"), "\(text)")
        #expect(text.contains("stranger.wav  no match") && !text.contains("{"), "\(text)")
        #expect(fits(text))
        let piped = try EarshotProcess(shell: "exec \"$EARSHOT\" \(match)")
        #expect(piped.output.hasPrefix("{\"answers\""))
        #expect(try terminal(match + " --json").output.hasPrefix("{\"answers\""))
        let asked = try EarshotProcess(shell: "exec \"$EARSHOT\" \(match) --format text")
        #expect(asked.output.hasPrefix("query.wav     song"))
        let both = try EarshotProcess(shell: "exec \"$EARSHOT\" \(match) --format text --json")
        #expect(both.status == 64)
    }

    @Test func coloursAreForTerminalsThatWantThem() throws {
        let escape = "\u{1B}["
        #expect(try terminal("settings").output.contains(escape))
        #expect(try !terminal("settings", environment: ["NO_COLOR": "1"]).output.contains(escape))
        #expect(try !terminal("settings", environment: ["TERM": "dumb"]).output.contains(escape))
        #expect(try !EarshotProcess("settings").output.contains(escape))
    }

    @Test func tablesAreAlignedOnATerminalHaveTabsElsewhereOrAreMarkdown() throws {
        let aligned = try terminal("plan list", environment: EarshotProcess.projectCorpora).output
        #expect(aligned.contains("standard") && !aligned.contains("\t") && fits(aligned))
        let tabs = try EarshotProcess("plan", "list", environment: EarshotProcess.projectCorpora)
        #expect(tabs.output.hasPrefix("plan\tcorpus\tconditions\tqueries\tminutes\tpurpose\n"))
        let markdown = try EarshotProcess(
            "corpus", "list", "--markdown", environment: EarshotProcess.projectCorpora)
        #expect(markdown.output.hasPrefix("| corpus | fetched | description |\n|---|---|---|\n"))
        #expect(markdown.output.contains("| synthetic | yes |"))
    }

    @Test func namesInAnswersCannotSteerTheTerminal() throws {
        let hostile = folder.path + "/\u{1B}[31mred\u{202E}.wav"
        try FileManager.default.copyItem(atPath: folder.path + "/stranger.wav", toPath: hostile)
        let run = try EarshotProcess(
            "match", "--catalog", folder.path + "/c.earcatalog", "--format", "text", hostile)
        #expect(run.output.contains("[31mred") && run.output.contains("no match"))
        #expect(!run.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }

    @Test(arguments: [
        (["evalute"], Int32(64), "has no subcommand 'evalute'. Did you mean 'evaluate'?"),
        (["--verison"], 64, "Did you mean '--version'?"),
        (["evaluate", "--plan", "smok"], 1, "Did you mean \"smoke\"?"),
        (["corpus", "list", "gamse"], 1, "Did you mean \"games\"?"),
        (["evaluate", "--plan", "zzzzzz"], 1, "plans are: "),
    ]) func namesThatAreNearAreSuggested(_ words: [String], status: Int32, message: String) throws {
        let run = try EarshotProcess(
            shell: "exec \"$EARSHOT\" \(words.joined(separator: " "))",
            environment: EarshotProcess.projectCorpora)
        #expect(run.status == status && run.errors.contains(message), "\(run.errors)")
        #expect(run.errors.contains("Did you mean") == message.contains("Did you mean"))
    }

    static let plan = """
        name: tiny
        corpus: synthetic
        seed: 5
        positives: 4
        negatives: 4
        latencyTrials: 0
        lengthSeconds: 3
        families:
          - name: clean
          - name: rate by format
            cross: {rate: [37800], encoding: [ogg-vorbis-q0.0]}
            chain: [{resample: {sampleRateHertz: $rate}}, {format: {encoding: $encoding, exactRate: true}}]
        """

    @Test func controlCSaysHowToGoOn() throws {
        try Self.plan.write(toFile: folder.file("tiny.yaml"), atomically: true, encoding: .utf8)
        let terminal = try PseudoTerminal(
            [
                EarshotProcess.binary, "evaluate", "--plan", "tiny.yaml", "--positives", "2000", "--output",
                "run",
            ],
            in: folder.path, environment: ["XDG_CACHE_HOME": folder.file("cache")])
        try terminal.wait { $0.contains("trials ") }
        terminal.type("\u{3}")
        #expect(try terminal.finish() != 0)
        // `setsid` then says that its child was interrupted.
        #expect(terminal.text.contains("\nInterrupted. Run the same command again to continue.\n"))
    }

    @Test func measuringFitsATerminalAndIsPlainTextInAPipe() throws {
        try Self.plan.write(toFile: folder.file("tiny.yaml"), atomically: true, encoding: .utf8)
        let cache = ["XDG_CACHE_HOME": folder.file("cache")]
        func inPipe(_ arguments: String) throws -> EarshotProcess {
            let run = try EarshotProcess(
                shell: "cd '\(folder.path)' && exec \"$EARSHOT\" \(arguments)", environment: cache)
            #expect(!run.output.contains("\u{1B}") && !run.errors.contains("\u{1B}"), "\(arguments)")
            return run
        }
        let evaluated = try terminal("evaluate --plan tiny.yaml --output one", environment: cache)
        #expect(evaluated.status == 0 && fits(evaluated.output), "\(evaluated.output)")
        #expect(evaluated.output.contains("  Recall  ") && evaluated.output.contains("█"))
        #expect(evaluated.output.hasSuffix("one/report.html\n"))
        let narrow = try terminal(
            "evaluate --plan tiny.yaml --output narrow --details 0", columns: 50, environment: cache)
        let progress = narrow.output.split { $0.isNewline || $0 == "\r" }.filter {
            $0.contains("trials") && $0.contains("/")
        }
        #expect(narrow.status == 0 && !progress.isEmpty)
        #expect(progress.allSatisfy { $0.replacing("\u{1B}[K", with: "").count < 50 }, "\(progress)")
        let worse = try inPipe("evaluate --plan tiny.yaml --matcher null --output two")
        #expect(worse.status == 0 && worse.output.hasSuffix("two/report.html\n"), "\(worse.errors)")
        #expect(worse.output.contains("  Recall  ") && !worse.output.contains("█"))

        #expect(try inPipe("baseline accept one --name one.json").status == 0)
        try """
        rules:
          - {measure: recall, atLeast: 0.9, hard: true}
          - {measure: recall, noLossBeyond: 0.01}
          - {measure: offsetErrorSeconds, mayGrowBy: 1.25}
        """.write(toFile: folder.file("rules.yaml"), atomically: true, encoding: .utf8)
        let gate = "gate two --baseline one.json --rules rules.yaml"
        let judged = try terminal(gate, environment: cache)
        #expect(judged.status == 2 && fits(judged.output), "\(judged.output)")
        #expect(judged.output.hasPrefix("\u{1B}[31mgate: fail ("))
        let piped = try inPipe(gate)
        #expect(piped.status == 2 && piped.output.hasPrefix("gate: fail ("))
        // A finding a line.
        #expect(piped.output.split(separator: "\n").dropFirst().allSatisfy { $0.prefix(3).last != " " })

        let compared = try terminal("compare one two", environment: cache)
        #expect(compared.status == 0 && fits(compared.output), "\(compared.output)")
        #expect(compared.output.contains("recall, points") && compared.output.contains("…"))
        let whole = try inPipe("compare one two").output
        #expect(whole.contains("37800 × ogg-vorbis"), "\(whole)")
        #expect(!whole.contains("…") && !whole.contains("|"), "\(whole)")
    }
}
