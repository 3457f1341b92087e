import Evaluation
import Foundation
import Reporting
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct GateTextTests {
    /// As `gate --json` writes it.
    private static let json = """
        {"rules": "a,b.yaml", "run": {"plan": "p", "panelDigest": "", "corpus": "c", "corpusDigest": "", "half": "test",
          "seed": 1, "matcher": "m", "version": "1", "answersDigest": "", "settings": {}, "commit": "0",
          "processor": "", "libraries": {}, "startedAt": "", "request": {"plan": "p", "axes": [], "matcher": {"name": "m", "settings": []}},
          "machine": {"processor": "", "logicalCores": 2, "memoryBytes": 1, "operatingSystem": "", "kernel": ""}},
         "notes": ["left out: five_six: no *values*"],
         "findings": [
          {"rule": "one", "line": 3, "scope": "noise <b> & \\"c\\", 5 s", "verdict": "fail",
           "reason": "50 % lost | really", "trials": 9},
          {"rule": "one", "line": 3, "scope": "noise <b> & \\"c\\", 5 s", "verdict": "pass", "reason": "fine", "trials": 9},
          {"rule": "two", "line": 4, "scope": "all", "verdict": "inconclusive", "reason": "too few", "trials": 9},
          {"rule": "three", "line": 5, "scope": "all", "verdict": "improved", "reason": "more\\nthan before",
           "trials": 9},
          {"rule": "four", "line": 6, "scope": "all trials", "verdict": "pass", "reason": "no change", "trials": 9}]}
        """

    private let report: GateReport

    init() throws { report = try JSONDecoder().decode(GateReport.self, from: Data(Self.json.utf8)) }

    @Test func junitIsWellFormedAndCountsWhatFailed() throws {
        final class Counter: NSObject, XMLParserDelegate {
            var names: [String: Int] = [:]
            var scopes: Set<String> = []
            func parser(
                _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
                qualifiedName: String?,
                attributes: [String: String]
            ) {
                names[name, default: 0] += 1
                if name == "testcase" { scopes.insert(attributes["name"] ?? "") }
                if name == "testsuites" {
                    #expect(attributes["failures"] == "1" && attributes["skipped"] == "1")
                }
            }
        }
        let parser = XMLParser(data: Data(GateText(report).junit.utf8))
        let counter = Counter()
        parser.delegate = counter
        #expect(parser.parse())
        #expect(counter.names["testsuite"] == 4)
        #expect(counter.names["testcase"] == 5)
        #expect(counter.names["failure"] == 1)
        #expect(counter.names["skipped"] == 1)
        #expect(counter.scopes == ["noise <b> & \"c\", 5 s", "all", "all trials"])
    }

    @Test func theVerdictSaysThatNothingWasCompared() {
        var report = report
        #expect(GateText(report).plain().contains("2 pass). Nothing was compared: there is no baseline\n"))
        report.baseline = report.run
        // An equal start is no equal run.
        #expect(!GateText(report).plain().contains("Nothing was compared"))
        report.isOfItself = true
        #expect(GateText(report).markdown.contains(". Nothing was compared: the baseline is this run\n"))
    }

    @Test func theFirstLineSaysWhatTheTrialsCannotFind() {
        var report = report
        report.warning = "78 trials find a loss of 11.5 points, not 3"
        let line = GateText(report).plain().split(separator: "\n")[0]
        #expect(line.hasSuffix(". 78 trials find a loss of 11.5 points, not 3"), "\(line)")
    }

    @Test func annotationsAreOneLineEachWithFileAndLine() {
        let lines = GateText(report).annotations.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("::error file=a%2Cb.yaml,line=3,title=one") ?? false)
        #expect(lines.first?.contains("50 %25 lost") ?? false)
        #expect(lines.contains { $0.contains("more%0Athan before") })
    }

    @Test("Rules outside the repository, those of an installed program, are not named as its file")
    func annotationsNameNoFileOutside() throws {
        let outside = Self.json.replacingOccurrences(of: "a,b.yaml", with: "/usr/share/a.yaml")
        #expect(outside != Self.json)
        let report = try JSONDecoder().decode(GateReport.self, from: Data(outside.utf8))
        let lines = GateText(report).annotations.split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { !$0.contains("file=") && !$0.contains("line=") })
        #expect(lines.first?.hasPrefix("::error title=one") ?? false)
    }

    @Test func theTerminalLeadsWithTheVerdictAndFoldsOneCause() throws {
        var many = report
        let few = try #require(many.findings.first { $0.verdict == .inconclusive })
        many.findings += (0..<20).map { number in
            var finding = few
            finding.scope = "condition \(number)"
            finding.trialsNeeded = 10 + number
            return finding
        }
        let lines = GateText(many).plain().split(separator: "\n")
        #expect(lines.first?.hasPrefix("gate: fail (1 fail, 1 improved, 21 inconclusive, ") == true)
        #expect(lines.count(where: { $0.contains("inconclusive") }) == 2)
        #expect(
            lines.dropLast().last
                == "  inconclusive  too few trials to tell; up to 29 trials a set would do: two (21 sets)")
        #expect(lines.last == "  left out: five_six: no *values*")
        #expect(lines[1].hasPrefix("  fail  one: "))
    }

    @Test func linesAreFoldedToTheWidthOfATerminal() {
        var long = report
        long.findings[0].reason = Array(repeating: "word", count: 60).joined(separator: " ")
        let folded = GateText(long).plain(columns: 40).split(separator: "\n")
        #expect(folded.allSatisfy { $0.count <= 40 } && folded.contains { $0.hasPrefix("  fail  one: ") })
        let whole = folded.map { $0.trimmingPrefix("    ") }.joined(separator: " ")
        #expect(whole.contains(long.findings[0].reason))
        #expect(GateText(long).plain().contains(long.findings[0].reason))
    }

    @Test func atMostFiveAnnotationsAndTheGravestFirst() {
        var many = report
        many.findings = Array(repeating: report.findings[2], count: 9) + report.findings
        let lines = GateText(many).annotations.split(separator: "\n")
        #expect(lines.count == 5 && lines[0].hasPrefix("::error"))
    }

    @Test func markdownEscapesItsTableAndLeavesOutCellsThatPassed() {
        let text = GateText(report).markdown
        #expect(text.contains("50 % lost \\| really"))
        #expect(!text.contains("fine"))
        #expect(text.contains("| pass | four | all trials | no change |"))
        #expect(text.hasSuffix("\n\n- left out: five\\_six: no \\*values\\*\n\n</details>\n"))
        #expect(text.hasPrefix("### gate: fail (1 fail, 1 improved, 1 inconclusive, 2 pass)"))
    }

    @Test func markdownShowsFirstWhatDidNotPass() throws {
        let text = GateText(report).markdown
        let shown = try #require(text.split(separator: "<details>").first)
        #expect(shown.contains("| fail | one |") && shown.contains("| improved | three |"))
        #expect(!shown.contains("| pass |") && !shown.contains("left out"))
        #expect(text.split(separator: "<details>").count == 3)
        #expect(text.split(separator: "</details>", omittingEmptySubsequences: false).count == 3)
    }

    @Test func markdownTakesNoMarkupFromNames() throws {
        var hostile = report
        hostile.findings[0].reason = "<b>[x](y) `z`"
        #expect(GateText(hostile).markdown.contains(#"\<b\>\[x\](y) \`z\`"#))
        let json = Self.json.replacing("\"plan\": \"p\", \"panel", with: "\"plan\": \"<img src=x>\", \"panel")
            .replacing("\"corpus\": \"c\"", with: "\"corpus\": \"[c](http://c)\"")
        let named = GateText(try JSONDecoder().decode(GateReport.self, from: Data(json.utf8))).markdown
        #expect(named.contains(#"\<img src=x\>"#) && named.contains(#"\[c\](http"#))
    }

    /// A combining mark and the character before it are one Character.
    ///
    /// So are CR and LF.
    @Test func marksAndLineEndsDoNotBreakOut() throws {
        var hostile = report
        hostile.findings[0].reason = "a\r\n::error::b <\u{338}x \"\u{301} |\u{301}"
        let text = GateText(hostile)
        #expect(text.annotations.unicodeScalars.count { $0 == "\n" } == 3)
        #expect(!text.annotations.unicodeScalars.contains("\r"))
        #expect(XMLParser(data: Data(text.junit.utf8)).parse())
        let row = try #require(text.markdown.split(separator: "\n").first { $0.contains("::error::b") })
        #expect(row.unicodeScalars.count { $0 == "|" } == 6)
    }
}
