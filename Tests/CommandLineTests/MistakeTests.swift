import Foundation
import TestSupport
import Testing

/// Each mistake on the command line gets an answer that names it.
@Suite struct MistakeTests {
    /// A command in the dump of all help.
    private struct Command: Decodable, Sendable {
        struct Argument: Decodable, Sendable {
            struct Name: Decodable, Sendable { let kind, name: String }
            let names: [Name]?
        }

        let commandName: String
        let subcommands: [Command]?
        let arguments: [Argument]?

        /// The command and those below it, each with the words that call it.
        func calls(below words: [String]) -> [(words: [String], command: Command)] {
            [(words, self)]
                + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap {
                    $0.calls(below: words + [$0.commandName])
                }
        }
    }

    /// Every command, asked for once.
    private static let dump = Result {
        struct Dump: Decodable { let command: Command }
        let dump = try EarshotProcess("--experimental-dump-help")
        return try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command
    }

    private var commands: [(words: [String], command: Command)] {
        get throws { try Self.dump.get().calls(below: []) }
    }

    /// Whatever else is missing.
    @Test func anUnknownOptionIsNamedFirst() throws {
        for (words, _) in try commands {
            let run = try EarshotProcess(arguments: words + ["--zzyzx", "x"])
            #expect(run.status == 64 && run.output.isEmpty, "\(words): \(run)")
            let lines = run.errors.split(separator: "\n")
            #expect(lines.first == "Error: Unknown option '--zzyzx'", "\(words): \(run.errors)")
            #expect(lines.count <= 4 && lines.dropFirst().allSatisfy { $0.count <= 80 }, "\(run.errors)")
        }
    }

    @Test func aUsageFitsIntoEightyColumns() throws {
        for (words, _) in try commands {
            let help = try EarshotProcess(arguments: words + ["--help"]).output.split(
                separator: "\n", omittingEmptySubsequences: false)
            let begin = try #require(help.firstIndex { $0.hasPrefix("USAGE: earshot") }, "\(words)")
            let usage = help[begin...].prefix { !$0.isEmpty }
            #expect(usage.count <= 2 && usage.allSatisfy { $0.count <= 80 }, "\(usage)")
        }
    }

    @Test func aWordInPlaceOfASubcommandIsAnsweredWithTheSubcommands() throws {
        for (words, command) in try commands where command.subcommands?.isEmpty == false && !words.isEmpty {
            for more in [["zzyzx"], ["zzyzx", "--help"]] {
                let run = try EarshotProcess(arguments: words + more)
                let names = (command.subcommands ?? []).map(\.commandName).joined(separator: ", ")
                #expect(run.status == 64 && run.errors.contains("has no subcommand 'zzyzx'"), "\(run)")
                #expect(run.errors.contains("Its subcommands are: \(names)\n"), "\(run.errors)")
            }
        }
    }

    /// The letters of options that mean the same in each command.
    @Test func sharedOptionsHaveTheirLetters() throws {
        for (words, command) in try commands {
            for names in (command.arguments ?? []).compactMap(\.names) {
                let short = names.filter { $0.kind == "short" }.map(\.name)
                for (name, letter) in [
                    ("output", "o"), ("catalog", "c"), ("verbose", "v"), ("media-items", "m"),
                ]
                where names.contains(where: { $0.name == name }) {
                    #expect(short.contains(letter), "\(words): --\(name)")
                }
            }
        }
    }

    @Test(arguments: [
        ("match --catalogue x f", "Unknown option '--catalogue'. Did you mean '--catalog'?"),
        ("serve --port 99999", "Unknown option '--port'. Did you mean '--address'?"),
        ("passages --bogus", "Unknown option '--bogus'\n"),
        ("evaluate --threads 2", "Unknown option '--threads'. Did you mean '--jobs'?"),
        ("signature -i a.wav -vz", "Unknown option '-vz'\n"),
        ("recognize x", "'earshot' has no subcommand 'recognize'. Did you mean 'match'?"),
        ("help macth", "'earshot' has no subcommand 'macth'. Did you mean 'match'?"),
        ("help custom-catalog creat", "has no subcommand 'creat'. Did you mean 'create'?"),
        ("custom-catalog add x", "has no subcommand 'add'. Did you mean 'update'?"),
        ("custom-catalog list x", "has no subcommand 'list'. Did you mean 'display'?"),
        ("evaluate --references songs", "--folder cuts queries from a folder of recordings"),
        ("evaluate --time-limit-seconds 3", "--time-limit-seconds belongs to --matcher-command"),
        ("evaluate --matcher-command x --matcher null", "--matcher and --matcher-command exclude each other"),
        ("threshold run --confidence 0.95", "--confidence belongs to --false-accepts above 0"),
        (
            "threshold run --false-accepts 0 --confidence 0.95",
            "--confidence belongs to --false-accepts above 0"
        ),
        ("threshold run --false-accepts 0.1 --confidence 95", "--confidence 95.0 is not between 0.5 and 1"),
        ("evaluate --rules standard", "--rules belongs to --baseline"),
        ("evaluate --no-cache --cache-gigabytes 3", "--cache-gigabytes and --no-cache exclude each other"),
        ("evaluate --undivided", "--undivided belongs to --folder"),
        ("arena run --matcher null --ready-limit-seconds 3", "belongs to --matcher-command or --contestants"),
        ("passages --export d -o pas", "--output has no effect with --export. Remove it."),
        ("passages --answers a --matcher null", "--matcher has no effect with --answers"),
        ("passages --make d --fresh", "--fresh has no effect with --export"),
        ("listen -c c --format csv", "one of 'text' and 'jsonl'"),
        ("listen -c c --device x --raw s16le", "--raw and --microphone exclude each other"),
        ("listen -c c --rate 8000", "--rate belongs to --raw"),
        ("match -c c --format cue --wall-clock 06:00 q", "--wall-clock has no effect with --format cue"),
        ("match -c http://localhost:1 --minimum-seconds 3 q", "--minimum-seconds has no effect on a server"),
        ("library list --apps --csv", "--csv and --apps exclude each other"),
        ("settings --settings-file x", "--settings-file belongs to --matcher-command"),
        ("gate run --power --json x", "--json has no effect with --power"),
        ("gate run --check --junit x", "--junit has no effect with --check"),
        ("gate run --runs-a-year 3", "--runs-a-year belongs to --power"),
        ("history run --site s --output o", "--output and --site exclude each other"),
        ("intros --episodes x --plan y", "--plan has no effect with --episodes"),
        ("intros --verbose", "--verbose belongs to --episodes"),
        ("intros --encodings x", "--encodings belongs to --export"),
        ("try --plan smoke --corpus x --track t --at 1", "--plan has no effect without --trial"),
        ("tune -o t --look-at a=1 --candidates 3", "--candidates has no effect with --look-at"),
        ("minimise --verify v --set a=1", "--set has no effect with --verify"),
        ("degrade -o d song.wav --plan smoke", "--plan has no effect on cuts from files"),
        ("rerecord smoke --write-wav t --room x", "--room has no effect with --write-wav"),
        ("corpus audit --folder x --with y", "--with belongs to a corpus"),
        ("custom-catalog update c -m t --strict", "--strict has no effect without --signature-asset"),
    ]) func aMistakeIsNamedWithTheRemedy(_ words: String, message: String) throws {
        let run = try EarshotProcess(arguments: words.split(separator: " ").map(String.init))
        #expect(run.status == 64 && run.errors.contains(message), "\(words): \(run.errors)")
    }

    @Test func filesOfTheWrongKindAreNamed() throws {
        let folder = try TemporaryFolder()
        try EarshotProcess(
            shell: "exec \"$EARSHOT\" corpus export synthetic --count 1 -o '\(folder.path)/songs'"
        ).check()
        let song = folder.file("songs/synthetic/track-01.flac")
        let catalog = folder.file("c.earcatalog")
        try EarshotProcess("custom-catalog", "create", "-s", song, "-o", catalog).check()

        let swapped = try EarshotProcess("match", "--catalog", song, catalog)
        #expect(
            swapped.status == 1 && swapped.errors.contains("\(song) is not a catalog"), "\(swapped.errors)")
        #expect(swapped.errors.contains("earshot match --catalog \(catalog) \(song)"), "\(swapped.errors)")
        let shown = try EarshotProcess("custom-catalog", "display", song)
        #expect(
            shown.errors.contains("\(song): byte 0: expected the magic of a catalog; the file is none"),
            "\(shown.errors)")

        let junk = folder.file("junk.mp3")
        try Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 * 167 + ($0 >> 3) * 13) & 0xFE })
            .write(to: URL(fileURLWithPath: junk))
        let refused = try EarshotProcess("match", "--catalog", catalog, "--format", "text", junk)
        #expect(refused.status == 1 && refused.errors.isEmpty, "\(refused.errors)")
        #expect(refused.output.contains("no frames of MPEG audio"), "\(refused.output)")
        let cut = try EarshotProcess("degrade", junk, "-o", folder.file("d"))
        #expect(cut.status == 1 && !cut.errors.contains("seed"), "\(cut.errors)")

        let listed = try EarshotProcess(
            shell: "echo '\(song)' | \"$EARSHOT\" match -c '\(catalog)' --files - --format text")
        #expect(listed.status == 0 && listed.output.contains("track-01"), "\(listed)")
    }
}

extension EarshotProcess {
    /// Requires that it succeeded.
    fileprivate func check() throws { try #require(status == 0, "\(errors)") }
}
