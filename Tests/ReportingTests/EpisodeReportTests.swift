import Foundation
import Reporting
import Studies
import Testing

@Suite struct EpisodeReportTests {
    /// Four files in two folders: an intro of three, credits of all, and `snippets` parts of two files.
    private static func findings(snippets: Int = 0) -> EpisodeFindings {
        var findings = EpisodeFindings()
        findings.episodes = ["S1/a <b>.mkv", "S1/c.mp3", "S2/c.mp3", "S2/c.wav"].map {
            .init(id: "/show/\($0)", durationSeconds: 600)
        }
        func part(_ files: [Int], _ start: Double, _ length: Double) -> EpisodeFindings.Part {
            .init(
                places: files.map {
                    let first = start + Double($0)
                    return .init(episode: $0, seconds: first..<(first + length), spreadSeconds: 0.05)
                })
        }
        findings.parts =
            [part([0, 1, 2, 3], 570, 20), part([0, 1, 2], 30.5, 41.25)]
            + (0..<snippets).map { part([0, 3], 100 + Double($0), 0.75) }
        findings.unreadable = [.init(id: "/show/x.ogg", message: "no audio")]
        return findings
    }

    private static func report(_ findings: EpisodeFindings = findings()) -> EpisodeReport {
        EpisodeReport(findings, origin: FigurePageTests.origin)
    }

    private static func files(_ findings: EpisodeFindings = findings()) throws -> [String: String] {
        try Dictionary(
            uniqueKeysWithValues: report(findings).files(charts: nil).map { ($0.name, try $0.text()) })
    }

    @Test func theSummaryIsShortForAnyNumberOfParts() {
        let lines = Self.report().summary.split(separator: "\n")
        #expect(lines[0] == "4 files, 2 shared parts")
        #expect(lines[2].contains("Credits") && lines[2].contains("20.0 s") && lines[2].contains("9:30.00"))
        #expect(lines[3].contains("Intro") && lines[3].contains("0:30.50–0:32.50"))
        #expect(lines.contains("Without an intro: /show/S2/c.wav"))
        #expect(lines.last == "Could not be read: /show/x.ogg: no audio")
        let many = Self.report(Self.findings(snippets: 300)).summary.split(separator: "\n")
        #expect(many.count < 16 && many.contains("  and 294 parts in 2 files"))
        #expect(Self.report(EpisodeFindings()).summary == "0 files, no shared part")
    }

    @Test func editListsSkipWhatIsChosen() throws {
        let report = EpisodeReport(
            Self.findings(snippets: 1), origin: FigurePageTests.origin, skipping: [.credits, .other])
        let files = try Dictionary(
            uniqueKeysWithValues: report.files(charts: nil).map { ($0.name, try $0.text()) })
        #expect(files["chapters/S1/a <b>.edl"] == "30.500\t30.500\t2\n570.000\t590.000\t3\n")
    }

    @Test func chaptersStandWhereTheEpisodesStand() throws {
        let files = try Self.files()
        let names = files.keys.filter { $0.hasPrefix("chapters/") }.sorted()
        #expect(
            names
                == ["S1/a <b>", "S1/c", "S2/c.mp3", "S2/c.wav"].flatMap {
                    ["chapters/\($0).edl", "chapters/\($0).ffmetadata"]
                })
        #expect(files["chapters/S1/a <b>.edl"] == "30.500\t71.750\t3\n570.000\t590.000\t3\n")
        #expect(files["chapters/S2/c.wav.edl"] == "573.000\t593.000\t3\n")
        let chapters = try #require(files["chapters/S1/c.ffmetadata"])
        #expect(
            chapters.hasPrefix(
                ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=31500\ntitle=Episode\n"))
        let titles = chapters.matches(of: #/title=(.+)/#).map { String($0.output.1) }
        #expect(titles == ["Episode", "Intro", "Episode", "Credits", "Episode"])
        // Each begins where the one before ends, and the last ends with the file.
        let starts = chapters.matches(of: #/START=(\d+)/#).map { String($0.output.1) }
        let ends = chapters.matches(of: #/END=(\d+)/#).map { String($0.output.1) }
        #expect(Array(starts.dropFirst()) == Array(ends.dropLast()) && ends.last == "600000")
    }

    /// A part of no kind is a mark, which skips nothing.
    @Test func partsOfNoKindAreNotSkipped() throws {
        var findings = Self.findings(snippets: 1)
        findings.parts[2].places = [0, 3].map {
            .init(episode: $0, seconds: 300..<310, spreadSeconds: 0)
        }
        let files = try Self.files(findings)
        #expect(files["chapters/S2/c.wav.edl"] == "300.000\t300.000\t2\n573.000\t593.000\t3\n")
        #expect(
            files["chapters/S2/c.wav.ffmetadata"]?.contains("START=300000\nEND=310000\ntitle=Part 3") == true)
    }

    @Test func theDataHoldsEveryPlace() throws {
        let files = try Self.files()
        let data = try #require(files["parts.json"])
        let json = try #require(try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any])
        let parts = try #require(json["parts"] as? [[String: Any]])
        #expect(parts.map { $0["kind"] as? String } == ["credits", "intro"])
        #expect(parts.map { $0["files"] as? Int } == [4, 3])
        let places = try #require(parts[1]["places"] as? [[String: Any]])
        #expect(places.map { $0["startSeconds"] as? Double } == [30.5, 31.5, 32.5])
        #expect(places.map { $0["endSeconds"] as? Double } == [71.75, 72.75, 73.75])
        let listed = try #require(json["files"] as? [[String: Any]])
        #expect(listed.map { ($0["chapters"] as? [Any])?.count } == [2, 2, 2, 1])
        let rows = try #require(files["parts.csv"]).split(separator: "\r\n")
        #expect(rows.count == 1 + 7 && rows[5].hasPrefix("2,/show/S1/a <b>.mkv,30.500,71.750,0.050,intro,"))
    }

    @Test func thePageHasABarForEachEpisode() throws {
        let page = try #require(try Self.files(Self.findings(snippets: 50))["episodes.html"])
        #expect(page.contains("a &lt;b&gt;.mkv") && !page.contains("<b>.mkv") && !page.contains("{{"))
        #expect(page.matches(of: #/<figure class="file">/#).count == 4)
        #expect(page.matches(of: #/<rect class="whole" x="0.0" y="4" width="600.0"/#).count == 4)
        #expect(page.matches(of: #/<rect class="part1" x="3\d.5" y="4" width="41.25"/#).count == 3)
        #expect(page.contains("Intro (2) 0:30.50–1:11.75") && page.contains("46 other parts"))
        #expect(!page.contains("Seed") && page.contains("Machine") && page.hasSuffix("</html>\n"))
    }
}
