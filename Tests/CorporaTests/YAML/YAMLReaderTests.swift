import Corpora
import Testing

@Suite struct YAMLReaderTests {
    private func error(_ text: String, _ use: (YAMLMapping) throws -> Void = { _ in }) -> ConfigurationError?
    {
        do {
            try use(YAMLReader(text: text, name: "a.yaml").mapping())
            return nil
        } catch {
            return error as? ConfigurationError
        }
    }

    @Test func aByteOrderMarkIsNoText() throws {
        let plain = try YAMLReader(text: "name: a\n", name: "a.yaml")
        let marked = try YAMLReader(text: "\u{FEFF}name: a\n", name: "a.yaml")
        #expect(try marked.mapping().string("name") == "a")
        #expect(marked.digest == plain.digest)
    }

    @Test func readsEveryType() throws {
        let text = """
            text: plain words
            quoted: "12"
            whole: -7
            decimal: 2.5e-1
            yes: true
            nothing: ~
            list: [1, two]
            inner: {key: 1}
            date: 1:30
            """
        let mapping = try YAMLReader(text: text, name: "a.yaml").mapping()
        #expect(try mapping.string("text") == "plain words")
        #expect(try mapping.string("quoted") == "12")
        #expect(try mapping.int("whole") == -7)
        #expect(try mapping.double("decimal") == 0.25)
        #expect(try mapping.double("whole") == -7)
        #expect(try mapping.bool("yes", default: false))
        #expect(mapping["nothing"] == nil)
        #expect(try mapping.int("nothing", default: 3) == 3)
        #expect(try mapping.list("list").count == 2)
        #expect(try mapping.mapping("inner")?.int("key") == 1)
        // YAML 1.1 would make 90 of it.
        #expect(try mapping.string("date") == "1:30")
        try mapping.rejectUnknownKeys()
    }

    @Test(arguments: [
        ("a: 1\nb: x\n", 2, "`b`: expected a whole number, found the text \"x\""),
        ("a: 1\n\nb: 1.5\n", 3, "`b`: expected a whole number, found the number 1.5"),
        ("a: 1\nb: [1]\n", 2, "`b`: expected a whole number, found a list"),
        ("a: 1\n", 1, "the key `b` is missing"),
        ("a: 1\nB: 2\n", 1, "the key `b` is missing; found `B`"),
        ("a: 1\nb: 2\nc: 3\n", 3, "unknown key `c`; expected one of: a, b"),
        ("b: 1\na: no\n", 2, "`a`: expected a whole number, found the text \"no\""),
    ])
    func namesLineAndExpectation(text: String, line: Int, message: String) {
        let found = error(text) { mapping in
            _ = try mapping.int("a")
            _ = try mapping.int("b")
            try mapping.rejectUnknownKeys()
        }
        #expect(found?.line == line)
        #expect(found?.message == message)
        #expect(found?.description == "a.yaml:\(line): \(message)")
    }

    @Test(arguments: [
        ("# One\n#  line.\na: 1\n# Another\n", "One line."), ("a: 1\n# Inside\n", ""),
        ("\n# Below\na: 1\n", ""),
    ]) func theHeadingIsTheCommentAtTheTop(_ text: String, _ heading: String) throws {
        #expect(try YAMLReader(text: text, name: "a.yaml").heading == heading)
    }

    @Test func refusesWhatIsNotOneMapping() {
        #expect(error("")?.message.contains("empty") == true)
        #expect(error("- 1\n- 2\n")?.message == "expected a mapping, found a list")
        #expect(error("a: [1, 2\nb: 3\n")?.message.contains("not valid YAML") == true)
        #expect(error("a: 1\na: 2\n")?.message.contains("same key twice: a") == true)
        #expect(error("? [1]\n: 2\n")?.message.contains("key must be plain text") == true)
    }

    /// Each of these would exhaust memory or the stack without limits.
    @Test func refusesInputMadeToExhaustMemory() {
        #expect(
            error("a: " + String(repeating: "[", count: 100_000))?.message.contains("nested deeper") == true)
        #expect(
            error("a:\n  " + String(repeating: "- ", count: 50_000))?.message.contains("nested deeper")
                == true)
        #expect(error("a: " + String(repeating: "x", count: 300_000))?.message.contains("bytes long") == true)
        var laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
        for (name, before) in zip("bcdefghi", "abcdefgh") {
            laughs +=
                "\(name): &\(name) [" + Array(repeating: "*\(before)", count: 10).joined(separator: ", ")
                + "]\n"
        }
        #expect(error(laughs)?.message.contains("aliases (*name) are not allowed") == true)
        var steps = ""
        for depth in 0..<300 { steps += String(repeating: " ", count: depth) + "k:\n" }
        #expect(error(steps)?.message.contains("too large") == true)
    }

    /// The composer compares keys before their values are counted.
    @Test(.timeLimit(.minutes(1))) func refusesAnAliasBombAsAKey() {
        var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let parts = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            bomb += "a\(level): &a\(level) [\(parts)]\n"
        }
        let refusal = error(bomb + "? *a9\n: 1\n")
        #expect(refusal?.line == 2 && refusal?.message.contains("aliases (*name) are not allowed") == true)
    }

    @Test(.timeLimit(.minutes(1))) func refusesNestedSequencesAsKeys() {
        let depth = 60
        let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(error("? \(nested)\n: 1\n")?.message == "a key must be plain text")
        let wide = "[" + Array(repeating: "x", count: 100_000).joined(separator: ",") + "]"
        #expect(error("? \(wide)\n: 1\n")?.message == "a key must be plain text")
    }

    @Test func namesAFileThatIsMissingOrNotText() throws {
        do {
            _ = try YAMLReader(path: "/nowhere/at/all.yaml")
            Issue.record("a missing file was read")
        } catch let error as ConfigurationError {
            #expect(error.description == "/nowhere/at/all.yaml: the file does not exist")
        }
    }
}
