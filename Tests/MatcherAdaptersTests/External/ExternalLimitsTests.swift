import Evaluation
import MatcherAdapters
import Testing

/// Limits of programs of their own, and the names of contestants.
@Suite struct ExternalLimitsTests {
    @Test("Limits of a file are those of the contestant it starts, and the usual ones where it says nothing")
    func limitsAreReadFromTheFile() throws {
        var usual = MatcherRequest.Limits()
        usual.readySeconds = 11
        let list = try ContestantList(
            text: """
                contestants:
                  - {name: a, command: b, enrolLimitSeconds: 4, memoryLimitGigabytes: 0.25}
                """, name: "c.yaml", limits: usual)
        let program = try #require(list.entries[0].request.program)
        #expect(program.command == "b")
        #expect(program.limits.enrolSeconds == 4 && program.limits.readySeconds == 11)
        #expect(program.limits.memoryGigabytes == 0.25 && program.limits.querySeconds == nil)
    }

    @Test("Names of contestants can name a folder and a row")
    func namesAreSafe() {
        for name in ["a", "A-b_c.9", String(repeating: "x", count: 60)] {
            #expect(ContestantList.isName(name))
        }
        for name in ["", ".", ".a", "a/b", "a b", "ä", "a\n", "٣", String(repeating: "x", count: 61)] {
            #expect(!ContestantList.isName(name), "\(name)")
        }
    }

    @Test("The name of any command is one that a contestant can have, unless it is all punctuation")
    func commandsHaveNames() throws {
        for text in ["x", "./a.py", "python3 'a b' --c=d", "/usr/bin/env -S x", "a \u{202E}b", "é x"] {
            let name = try ExternalCommand(text).name
            #expect(ContestantList.isName(name), "\(text) gives \(name)")
        }
    }

    @Test(
        "What is no command line is refused in words that can be shown",
        arguments: ["", "  ", "a 'b", "\u{202E}\"x"])
    func badCommandsAreRefused(text: String) throws {
        let error = try #require(throws: ExternalMatcherError.self) { try ExternalCommand(text) }
        #expect(!error.description.unicodeScalars.contains("\u{202E}"))
    }
}
