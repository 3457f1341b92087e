import EarshotKit
import Foundation
import TestSupport
import Testing

/// The help, error texts and exit codes of commands match the snapshots that were last reviewed.
///
/// `EARSHOT_RECORD=1` rewrites the snapshots. The tests then fail, so that no one records by accident.
@Suite struct HelpSnapshotTests {
    /// A command in the dump of all help.
    private struct Command: Decodable {
        let commandName: String
        let subcommands: [Command]?

        /// The words that call this command and those below it, but for `help`.
        func calls(below words: String) -> [String] {
            [words]
                + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap {
                    $0.calls(below: words.isEmpty ? $0.commandName : "\(words) \($0.commandName)")
                }
        }
    }

    /// Every command of the program.
    private func commands() throws -> [String] {
        struct Dump: Decodable { let command: Command }
        let dump = try EarshotProcess("--experimental-dump-help")
        return try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command.calls(below: "")
    }

    /// Wrong ways to call them.
    static let mistakes = [
        "signature", "signature -i", "signature -i none.wav", "signature -i none.wav -x",
        "custom-catalog nothing",
        "custom-catalog create", "custom-catalog create -s none.wav",
        "custom-catalog create -s none.wav -o c.earcatalog",
        "custom-catalog create -s none.wav -o c.earcatalog --jobs 0",
        "custom-catalog create -s none.wav -o c.earcatalog --ids colour",
        "custom-catalog create -o c.earcatalog",
        "custom-catalog update", "custom-catalog update -i none.earcatalog",
        "custom-catalog update -i none.earcatalog -s none.wav", "custom-catalog display",
        "custom-catalog display -i none.earcatalog",
        "custom-catalog display none.earcatalog -i none.earcatalog",
        "custom-catalog remove -i none.earcatalog", "custom-catalog remove -i none.earcatalog -m 7",
        "custom-catalog remove -i none.earcatalog -s 7", "custom-catalog export -i none.earcatalog",
        "custom-catalog export -i none.earcatalog -o out", "custom-catalog verify -i none.earcatalog",
        "library add",
        "library add 7 -m none.csv", "library add -m none.csv", "library add -m none.csv --title x",
        "library add x7",
        "library remove", "library remove 7", "library sync", "library sync --off --folder x",
        "library sync --folder none",
        "serve", "serve --catalog none.earcatalog", "serve --store s",
        "serve --catalog none.earcatalog --address 80",
        "match", "match --catalog none.earcatalog a.wav",
        "match --catalog none.earcatalog a.wav --wall-clock 24:00",
        "match --catalog none.earcatalog a.wav b.wav --wall-clock 06:00",
        "listen", "listen --catalog none.earcatalog", "listen --catalog none.earcatalog --wall-clock 06:00",
        "listen --catalog none.earcatalog --raw s24le",
        "listen --catalog none.earcatalog --raw s16le --rate 5",
        "listen --catalog none.earcatalog --raw s16le --device x",
    ]

    /// Runs in an empty folder, on a line of 80 characters.
    private func run(_ arguments: String) throws -> String {
        let folder = try TemporaryFolder()
        let run = try EarshotProcess(
            shell: "cd '\(folder.path)' && exec \"$EARSHOT\" \(arguments)",
            environment: ["COLUMNS": "80", "XDG_DATA_HOME": folder.file("data")])
        #expect(!run.isSignalled && folder.names().allSatisfy { $0 == "data" }, "\(arguments)")
        let text = "$ earshot \(arguments)\n\(run.output)\(run.errors)[\(run.status)]\n"
        return text.replacing(folder.path, with: "FOLDER")
    }

    private func compare(_ name: String, _ calls: [String]) throws {
        let found = try calls.map(run).joined(separator: "\n")
        let path = PackageFolder.path + "/Tests/CommandLineTests/Snapshots/\(name).txt"
        if ProcessInfo.processInfo.environment["EARSHOT_RECORD"] != nil {
            try Data(found.utf8).write(to: URL(fileURLWithPath: path))
            Issue.record("\(name) was written; look at it and run again without EARSHOT_RECORD")
        }
        let kept = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let (keptLines, foundLines) = (kept.split(separator: "\n"), found.split(separator: "\n"))
        let change = foundLines.difference(from: keptLines).map { change in
            switch change {
            case .insert(_, let line, _): "+ \(line)"
            case .remove(_, let line, _): "- \(line)"
            }
        }
        #expect(kept == found, "\(name):\n\(change.joined(separator: "\n"))")
    }

    @Test func help() throws {
        let commands = try commands()
        #expect(commands.contains("custom-catalog create"))
        try compare("help", commands.map { ($0.isEmpty ? "" : $0 + " ") + "--help" })
    }

    @Test func mistakesAndExitCodes() throws { try compare("mistakes", Self.mistakes) }

    /// What `scripts/install.sh` takes completions and man pages from.
    @Test func completionsAndManPagesCanBeMade() throws {
        let bash = try EarshotProcess(shell: "\"$EARSHOT\" --generate-completion-script bash | bash -n")
        #expect(bash.status == 0 && bash.errors.isEmpty, "\(bash.errors)")
        for shell in ["bash", "zsh", "fish"] {
            let script = try EarshotProcess("--generate-completion-script", shell)
            #expect(script.status == 0 && script.output.contains("media-item-ids"))
        }
        let dump = try EarshotProcess("--experimental-dump-help")
        #expect(dump.status == 0)
        let help = try JSONSerialization.jsonObject(with: Data(dump.output.utf8)) as? [String: Any]
        #expect(help?["serializationVersion"] as? Int == 0)
    }

    /// What the help says of tables is so: its examples are read.
    @Test func theGrammarsExamplesAreRead() throws {
        let ranges = MediaItemTable.grammar.split(separator: "\n").compactMap { line -> String? in
            let words = line.drop { "- ".contains($0) }.split(separator: " ", maxSplits: 1)
            guard words.count == 2, ["timeRanges", "frequencySkewRanges", "genres"].contains(words[0]) else {
                return nil
            }
            let example = words[1].trimmingCharacters(in: .whitespaces).split(separator: "   ")[0]
            return "\(words[0])\n\(example)\n"
        }
        #expect(ranges.count == 3)
        for csv in ranges {
            let items = try MediaItemTable(csv: Data(csv.utf8), name: "grammar").items
            #expect(items.count == 1 && items[0].stored.properties.count == 1, "\(csv)")
        }
    }
}
