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

    /// Runs a command line in a terminal of 80 columns.
    private func terminal(_ arguments: String, environment: [String: String] = [:]) throws -> EarshotProcess {
        try EarshotProcess(
            shell: "stty cols 80 2> /dev/null; script -qec \"'$EARSHOT' \(arguments)\" /dev/null < /dev/null",
            environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 })
    }

    private var match: String {
        "match --catalog \(folder.path)/c.earcatalog \(folder.path)/query.wav \(folder.path)/stranger.wav"
    }

    @Test func matchPrintsTextOnATerminalAndJSONElsewhere() throws {
        let text = try terminal(match).output
        #expect(text.contains("query.wav     song") && text.contains("  at 0:0"), "\(text)")
        #expect(text.contains("stranger.wav  no match") && !text.contains("{"), "\(text)")
        #expect(text.split(whereSeparator: \.isNewline).allSatisfy { $0.count <= 80 })
        let piped = try EarshotProcess(shell: "exec \"$EARSHOT\" \(match)")
        #expect(piped.output.hasPrefix("{\"query\""))
        #expect(try terminal(match + " --json").output.hasPrefix("{\"query\""))
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
        #expect(aligned.contains("standard") && !aligned.contains("\t"))
        let tabs = try EarshotProcess("plan", "list", environment: EarshotProcess.projectCorpora)
        #expect(tabs.output.hasPrefix("plan\tcorpus\tconditions\n"))
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
        (["evalute"], Int32(64), "There is no subcommand 'evalute'. Did you mean \"evaluate\"?"),
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

    @Test(arguments: [
        (["evaluate", "--plan", "sm"], "smoke"), (["corpus", "fetch", "games-s"], "games-small"),
        (["evaluate", "--set", "decision."], "decision.threshold="), (["evalu"], "evaluate"),
        (["match", "--catalog", "c.ear"], "c.earcatalog"), (["signature", "-i", "quer"], "query.wav"),
    ]) func bashCompletesNamesAndFiles(_ words: [String], wanted: String) throws {
        let all = ["$EARSHOT"] + words
        let run = try EarshotProcess(
            shell: """
                cd '\(folder.path)' && exec bash --norc -c '
                compopt() { :; }
                eval "$("$EARSHOT" --generate-completion-script bash)"
                COMP_WORDS=(\(all.map { "\"\($0)\"" }.joined(separator: " "))); COMP_CWORD=\(words.count)
                COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
                _earshot "$EARSHOT" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                printf "%s\\n" "${COMPREPLY[@]}"'
                """, environment: EarshotProcess.projectCorpora)
        #expect(
            run.output.split(separator: "\n").contains { $0.hasSuffix(wanted) }, "\(run.output)\(run.errors)")
    }
}
