import Foundation
import Reporting
import Studies
import Testing

@Suite struct IntroReportTests {
    private static let planText = """
        name: a <b> plan
        corpus: synthetic
        seed: 5
        sets: 4
        episodes: [2]
        introSeconds: 8
        openingSeconds: 0
        bodySeconds: 6
        queryLengths: [3]
        tails: [0.5, 1]
        skewSpacings: [0.5, 0.1]
        margin: 8
        conditions: [{name: clean}]
        """

    /// Four sets: in the first the answer half a second after the intro is ambiguous, in the last one tag is wrong.
    private static var records: [IntroRecord] {
        (1...4).flatMap { set -> [IntroRecord] in
            func record(_ kind: IntroRecord.Kind, tail: Double? = nil, spacing: Double? = nil) -> IntroRecord
            {
                IntroRecord(
                    kind: kind, set: "n2/s\(set)", episodes: 2, right: kind == .tag ? 0 : 1,
                    condition: "clean",
                    lengthSeconds: 3, tailSeconds: tail, spacingPercent: spacing)
            }
            var inside = record(.inside)
            (inside.first, inside.accepted, inside.lead) = (2, 2, 0.5)
            var early = record(.boundary, tail: 0.5)
            (early.first, early.accepted, early.lead) = (1, 2, set == 1 ? 7 : 20)
            var late = record(.boundary, tail: 1)
            (late.first, late.accepted) = (1, 1)
            let tags = [0.5, 0.1].map { spacing in
                var tag = record(.tag, spacing: spacing)
                (tag.first, tag.frequencySkew) = (1, set == 4 && spacing == 0.1 ? 0.0006 : 0.0001)
                return tag
            }
            return [inside, early, late] + tags
        }
    }

    private static func report(_ records: [IntroRecord] = records) throws -> IntroReport {
        var origin = FigurePageTests.origin
        origin.matcher.name = "some <matcher>"
        return IntroReport(
            plan: try IntroPlanFile(text: planText, name: "t.yaml"), origin: origin, records: records)
    }

    @Test func scoresFollowFromTheRecords() {
        let score = IntroScore(Self.records, margin: 8)
        #expect(score.inside.map(\.ambiguous.rate) == [1] && score.inside.map(\.allAccepted.rate) == [1])
        #expect(score.boundary.map(\.right.successes) == [3, 4])
        #expect(score.delays.map(\.seconds) == [[1, 0.5, 0.5, 0.5]] && score.delays[0].soon.rate == 1)
        #expect(score.confusions.map(\.counts) == [[[4, 0, 0, 0, 0], [0, 0, 0, 0, 0]]])
        #expect(IntroScore(Self.records, margin: 30).boundary[0].ambiguous.rate == 1)
        let tags = TagScore(Self.records)
        #expect(tags.rows.map(\.right.successes) == [4, 3])
        // Four of four do not show that 95 % are right.
        #expect(tags.reliable.map(\.spacingPercent) == [nil] && tags.isTooSmall)
    }

    /// Of 120 sets, all have the right tag 0.5 % apart, and 119, 116 and all at smaller spacings.
    @Test func aSpacingIsReliableByTheLowerEndOfItsInterval() {
        let wrong = [0.5: 0, 0.4: 1, 0.3: 4, 0.2: 0]
        let records = wrong.flatMap { spacing, wrong in
            (0..<120).map { set in
                var tag = IntroRecord(
                    kind: .tag, set: "s\(set)", episodes: 2, right: 0, condition: "clean", lengthSeconds: 3,
                    spacingPercent: spacing)
                (tag.first, tag.frequencySkew) = (1, set < wrong ? 0.04 : 0.0001)
                return tag
            }
        }
        let tags = TagScore(records)
        #expect(tags.rows.map(\.right.successes) == [120, 119, 116, 120])
        #expect(tags.reliable.map(\.spacingPercent) == [0.4] && !tags.isTooSmall)
    }

    /// The files of a report by name.
    private static func written(_ report: IntroReport, charts: ChartLibrary? = nil) throws -> [String: String]
    {
        let folder = FileManager.default.temporaryDirectory.path + "/earshot-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try report.write(to: folder, charts: charts)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8))
            })
    }

    @Test func everyFileIsWrittenAndThePageIsWhole() throws {
        let files = try Self.written(Self.report())
        #expect(
            files.keys.sorted() == [
                "cells.csv", "confusion.csv", "delays.csv", "intros.html", "tags.csv", "trials.csv",
            ])
        let page = try #require(files["intros.html"])
        #expect(page.contains("some &lt;matcher&gt;") && page.contains("a &lt;b&gt; plan"))
        #expect(!page.contains("://") && !page.contains("<matcher>"))
        #expect(page.hasSuffix("</html>\n") && page.contains("Smallest reliable spacing"))
        #expect(!page.contains("<script") && !page.contains("<canvas") && !page.contains("{{"))
        for fact in ["cbdc39b4f2a1", "9c41", "Seed", "Machine", "Versions", "2026-11-20T10:00:00Z"] {
            #expect(page.contains(fact), "\(fact)")
        }
        #expect(files["trials.csv"]?.split(separator: "\r\n").count == 1 + Self.records.count)
        #expect(files["delays.csv"]?.contains("2,clean,3.0,4,4,0.5,1.0,0,1.0,") == true)
    }

    @Test func theChartHasWhatItsScriptReads() throws {
        let library = try #require(ChartLibrary.installed(), "Debian's libjs-chart.js is not installed")
        let page = try #require(Self.written(Self.report(), charts: library)["intros.html"])
        #expect(page.matches(of: #/<canvas id="([^"]+)"/#).map { String($0.output.1) } == ["intro-0"])
        let data = try #require(page.firstMatch(of: #/id="drawings">([^<]*)</script>/#)).output.1
        let drawings = try #require(
            try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [[String: Any]])
        #expect(drawings.map { $0["id"] as? String } == ["intro-0"])
        let series = try #require(drawings[0]["series"] as? [[String: Any]])
        #expect(series.map { $0["name"] as? String } == ["2 episodes, 3\u{A0}s"])
        let points = try #require(series[0]["points"] as? [[String: Any]])
        #expect(points.map { $0["x"] as? Double } == [0.5, 1])
        #expect(points.map { $0["y"] as? Double } == [75, 100])
        #expect(points.allSatisfy { Set($0.keys) == ["x", "y", "lower", "upper"] })
    }

    @Test func noTagsAndNoRecordsAreNoError() throws {
        #expect(try Self.written(Self.report(Self.records.filter { $0.kind != .tag })).count == 6)
        #expect(try Self.written(Self.report([])).count == 6)
        #expect(try Self.report([]).summary.contains("within the intro"))
    }
}
