import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Matchers
import TestSupport
import Testing

@Suite struct ExternalCommandTests {
    @Test(arguments: [
        ("a b", ["a", "b"]), ("  a\t 'b c'  ", ["a", "b c"]),
        (#"a "b 'c' \" \x" d\ e"#, ["a", #"b 'c' " \x"#, "d e"]),
        ("a'b'\"c\"", ["abc"]), ("a '' \"\"", ["a", "", ""]), ("", []),
    ])
    func commandLinesAreSplitAsAShellDoes(_ line: String, _ words: [String]) {
        #expect(ShellWord.words(of: line) == words)
        #expect(ShellWord.words(of: words.map(ShellWord.quoted).joined(separator: " ")) == words)
    }

    @Test func quotedWordsReadBack() {
        let words = ["it's", "", "-x", "<b>\u{202E}\u{2028}", "\\", "'''", "'\u{301}", "\"\u{301}", "ä=1"]
        #expect(ShellWord.words(of: words.map(ShellWord.quoted).joined(separator: " ")) == words)
    }

    @Test func unfinishedLinesAreRefused() {
        for line in ["a 'b", "a \"b", "a \\"] { #expect(ShellWord.words(of: line) == nil) }
    }

    @Test func theNameIsMadeOfTheWords() throws {
        #expect(try ExternalCommand("scripts/adapters/olaf.py --pairs").name == "olaf-pairs")
        #expect(try ExternalCommand("python3 /x/y.py <b> ../z").name == "python3-x-y.py-b-..-z")
        #expect(try ExternalCommand(String(repeating: "x", count: 100)).name.count == 60)
    }

    @Test func theFilesOfACommandLineAreFoundInPathAndInWords() throws {
        let folder = try TemporaryFolder()
        for name in ["adapter.py", "model", "nested"] {
            try name.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        }
        let paths = ["adapter.py", "model", "nested"].map(folder.file)
        let files = try ExternalCommand(
            "sh \(paths[0]) --model=\(paths[1]) \(folder.path) x 'exec \(paths[2]) y'"
        ).files
        #expect(try #require(files.first).hasSuffix("/sh") && Array(files.dropFirst()) == paths)
    }

    /// The adapter works in a folder of its own, and PATH has no `.`, so the words must find what a user sees here.
    @Test func filesOfTheCurrentFolderAreFoundWithoutASlash() throws {
        let here = FileManager.default.currentDirectoryPath
        let name = "adapter-\(UUID().uuidString).sh"
        try exampleOfHello.write(toFile: name, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: name) }
        func resolved(_ line: String) throws -> [String] { try ExternalCommand(line).resolvedWords }
        #expect(
            try resolved("sh \(name) --model=\(name) ./\(name)") == [
                "sh", "\(here)/\(name)", "--model=\(here)/\(name)", "\(here)/./\(name)",
            ])
        // A program, a folder, a missing file and an absolute path stay as they are.
        for line in ["\(name)", "sh .", "sh missing.sh --model=missing.sh", "sh \(here)/\(name)"] {
            #expect(try resolved(line) == ShellWord.words(of: line))
        }
        let matcher = try ExternalMatcher(ExternalCommand("sh \(name)"))
        defer { matcher.end() }
        #expect(matcher.name == "shell")
    }

    @Test func aProgramThatDoesNotStartHasAdvice() throws {
        let folder = try TemporaryFolder()
        let name = "adapter-\(UUID().uuidString).sh"
        for path in [name, folder.file(name)] {
            try exampleOfHello.write(toFile: path, atomically: true, encoding: .utf8)
        }
        defer { try? FileManager.default.removeItem(atPath: name) }
        func message(_ line: String) throws -> String {
            try #require(throws: ExternalMatcherError.self) {
                try ExternalMatcher(ExternalCommand(line))
            }.description
        }
        #expect(try message(name).hasSuffix("write ./\(name)"))
        #expect(try message(folder.file(name)).contains("is not executable"))
        for line in ["false | cat", "X=1 sh \(name)", "~/adapter", "false; true", "$HOME/adapter"] {
            #expect(try message(line).contains("No shell reads this line"), "\(line)")
        }
        // Nothing in the words explains a program that ends by itself.
        #expect(try !message("sh -c 'exit 3' -x --y=z").contains(". "))
    }

    private let exampleOfHello =
        #"read -r line; echo '{"protocol":1,"name":"shell","version":"1"}'; cat >/dev/null"#

    /// The same 64 answers: only the content of the file tells the programs apart.
    @Test func aChangedProgramIsAnotherMatcher() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("program")
        let null = try #require(Contestants.named("null"))
        func described(_ text: String) throws -> RunFacts.Contestant {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return try RunFacts.Contestant(
                Contestant(name: "null", summary: "", codeFiles: [path]) { try null.make() })
        }
        let (one, other) = (try described("one"), try described("other"))
        #expect(one.digest == other.digest && one.codeDigest != other.codeDigest)
        #expect(one.identity != other.identity)
        #expect(try described("one").identity == one.identity)
        #expect(null.codeFiles == [Contestant.ownProgram])
        #expect(null.codeDigest == Contestants.earshot.codeDigest)
    }

    @Test func contestantsAreReadFromAFile() throws {
        let list = try ContestantList(
            text: """
                contestants:
                  - {name: ours, matcher: earshot, settings: {decision.threshold: 5}}
                  - {name: theirs, command: "scripts/adapters/example.py --x", timeLimitSeconds: 3}
                """, name: "c.yaml")
        #expect(list.entries.map(\.name) == ["ours", "theirs"])
        #expect(list.entries[0].contestant.chosen == ["decision.threshold": 5])
        #expect(
            list.entries[0].request == MatcherRequest(settings: [.init(name: "decision.threshold", value: 5)])
        )
        #expect(
            list.entries[1].request.program?.command == "scripts/adapters/example.py --x"
                && list.entries[1].request.program?.limits.querySeconds == 3)
    }

    @Test(arguments: [
        ("contestants: []", "is empty"), ("contestants: [{name: a}]", "needs either"),
        ("contestants: [{name: a, matcher: b}]", "no matcher called b"),
        ("contestants: [{name: ../a, matcher: null}]", "other characters"),
        ("contestants: [{name: a, matcher: earshot, settings: {x: 1}}]", "no setting x"),
        ("contestants: [{name: a, matcher: oracle}, {name: a, matcher: oracle}]", "two contestants"),
        ("contestants: [{name: a, matcher: oracle, speed: 1}]", "unknown key `speed`"),
        ("contestants: [{name: a, command: \"b 'c\"}]", "no command line"),
        ("contestants: [{name: a, command: b, timeLimitSeconds: 0}]", "`timeLimitSeconds` is 0.0"),
    ])
    func mistakesInAFileAreNamedWithTheirLine(_ text: String, _ words: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            try ContestantList(text: text, name: "c.yaml")
        }
        #expect(error.description.hasPrefix("c.yaml:1: ") && error.description.contains(words), "\(error)")
    }
}
