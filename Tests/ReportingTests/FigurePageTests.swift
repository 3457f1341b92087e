import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers
import Metrics
import Reporting
import Studies
import TestSupport
import Testing

/// The pages of streams, of negatives and of growth, on made-up results.
@Suite struct FigurePageTests {
    static let origin = Provenance(
        matcher: SampleRun.facts.matcher, planName: "streams", planDigest: "5b0e",
        request: RunRequest(plan: "[<b>]"), corpusName: "games", corpusDigest: "9c41", half: .tuning, seed: 7,
        notes: ["Made up."], commit: "cbdc39b4f2a1", machine: SampleRun.facts.machine,
        toolVersions: ["fftw": "3.3.10"], startedAt: "2026-11-20T10:00:00Z")

    private static var queries: [StreamedQuery] {
        (0..<40).map { number in
            var positions = StreamedQuery.PositionErrors()
            positions.strictSeconds = [0.01, -0.02, number == 3 ? 12 : 0]
            positions.repeatAwareSeconds = [0.01, -0.02, 0]
            return StreamedQuery(
                trialID: "clean/p\(number)",
                cell: Cell(
                    degradation: number % 2 == 0 ? "clean" : "noise", severity: "", severityValue: nil,
                    lengthSeconds: 5), source: "a, \"b\"", cluster: "\(number % 5)",
                changes: [
                    .init(seconds: 0, answer: .none), .init(seconds: 1 + Double(number) / 20, answer: .right),
                ], positions: positions)
        }
    }

    private static var negatives: NegativeStreams {
        get throws {
            let json = """
                {"chain": "[]", "passages": [{"trackID": "t", "span": {"lower": 0.5, "upper": 7200.5}}],
                 "playedSeconds": 7200, "falseMatches": [{"trackID": "t", "referenceID": "r<i>", "score": 3.5,
                 "elapsedSeconds": 3600, "heardSeconds": 5}], "failures": [], "processorSeconds": 50,
                 "residentBytesAfterTenMinutes": 100000000, "residentBytesAtEnd": 101000000}
                """
            let chain = try JSONDecoder().decode(NegativeStream.self, from: Data(json.utf8))
            var quiet = chain
            quiet.chain = "[{speed: {percent: 2}}]"
            quiet.falseMatches = []
            return NegativeStreams(
                origin: origin, referenceCount: 3, referenceSeconds: 600, chains: [chain, quiet])
        }
    }

    private static var points: [GrowthPoint] {
        [1.0, 10, 100].enumerated().map { size, hours -> GrowthPoint in
            let answers = (0..<30).map { number -> GrowthPoint.Answer in
                let isPositive = number % 3 > 0
                let isFound = number < 26 - 3 * size
                let cell = Cell(
                    degradation: number < 15 ? "clean" : "noise", severity: "", severityValue: nil,
                    lengthSeconds: 5)
                var record = SampleRun.record(
                    "t\(number)", number, cell, isPositive: isPositive, source: "\(number % 4)",
                    references: ["a"],
                    truth: Truth(offsetSeconds: 0, frequencySkew: 0, timeSkew: 0, skewChangePerSecond: 0))
                if isPositive, isFound {
                    record.candidates = [
                        Candidate(referenceID: "a", offsetSeconds: 0, score: 1, isAccepted: true)
                    ]
                }
                return .init(JudgedTrial(record, threshold: nil), processorSeconds: 0.01 * hours)
            }
            return GrowthPoint(
                hours: hours, realHours: min(hours, 5), realReferences: 4, indexBytes: Int(hours * 1e6),
                answers: answers)
        }
    }

    /// The files of all three reports, by name.
    private static func files(charts: ChartLibrary?) throws -> [String: String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var settings = StreamStudy.Settings()
        settings.leadSeconds = 3
        _ = try StreamReport(queries: queries, origin: origin, settings: settings)
            .write(to: folder, charts: charts)
        _ = try NegativeReport(negatives).write(to: folder, charts: charts)
        _ = try GrowthReport(points: points, origin: origin).write(to: folder, charts: charts)
        var files: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            files[name] = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        }
        return files
    }

    private static let pageNames = ["streams.html", "negatives.html", "growth.html"]

    @Test func pagesLoadNothingAndEscapeText() throws {
        let files = try Self.files(charts: nil)
        for name in Self.pageNames {
            let html = try #require(files[name])
            #expect(html.contains("Content-Security-Policy\" content=\"default-src 'none'"))
            for pattern in ["<link", "<img", "<iframe", " src=", "@import", "url(", "http://", "https://"] {
                #expect(!html.contains(pattern), "\(pattern)")
            }
            #expect(!html.contains("[<b>]") && html.contains("[&lt;b&gt;]"))
            #expect(!html.contains("<canvas") && html.contains("libjs-chart.js"))
            #expect(!html.contains("{{") && html.contains("Made up."))
            let ids = html.matches(of: #/ id="([^"]+)"/#).map { String($0.output.1) }
            #expect(Set(ids).count == ids.count)
            for target in html.matches(of: #/href="#([^"]*)"/#) {
                #expect(ids.contains(String(target.output.1)))
            }
            for table in html.matches(of: #/<table[\s\S]*?</table>/#) {
                #expect(table.output.contains("<caption"))
            }
        }
    }

    @Test func everyChartHasItsData() throws {
        let library = try #require(ChartLibrary.installed(), "Debian's libjs-chart.js is not installed")
        let files = try Self.files(charts: library)
        for (name, count) in zip(Self.pageNames, [2, 2, 4]) {
            let html = try #require(files[name])
            let names = html.matches(of: #/<canvas id="([^"]+)" role="img" aria-label="([^"]+)"/#)
                .map { String($0.output.1) }
            #expect(names.count == count)
            let data = try #require(html.firstMatch(of: #/id="drawings">([^<]*)</script>/#)).output.1
            let drawings = try #require(
                try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [[String: Any]])
            #expect(drawings.compactMap { $0["id"] as? String } == names)
            for drawing in drawings {
                let series = try #require(drawing["series"] as? [[String: Any]])
                #expect(!series.isEmpty && series.allSatisfy { !(($0["points"] as? [Any]) ?? []).isEmpty })
            }
        }
    }

    @Test func tablesHoldTheFiguresOfThePages() throws {
        let files = try Self.files(charts: nil)
        func table(_ name: String) throws -> ReadTable { ReadTable(try #require(files["\(name).csv"])) }
        let streams = try table("streams")
        #expect(streams.rows.count == 40 && streams.rows.allSatisfy { $0["source"] == "a, \"b\"" })
        #expect(streams.rows.contains { $0["trial"] == "clean/p20" && $0["firstRightSeconds"] == "2.0" })
        let cells = try table("cells")
        #expect(cells.rows.map { $0["queries"] } == ["20", "20"])
        #expect(cells.rows[1]["strictPositionWorstSeconds"] == "12.0")
        #expect(cells.rows[1]["positionWorstSeconds"] == "0.02")
        #expect(try table("curves").rows.count == 2 * 21)
        let negatives = try table("negatives")
        #expect(negatives.rows.map { $0["falseMatches"] } == ["1", "0"])
        #expect(negatives.rows[0]["falseMatchesPerHour"] == "0.5")
        #expect(try table("false-matches").rows.map { $0["reference"] } == ["r<i>"])
        let growth = try table("growth")
        #expect(growth.rows.count == 3 + 6)
        #expect(growth.rows[2]["lostSinceSmallest"] == "4" && growth.rows[2]["gainedSinceSmallest"] == "0")
        #expect(try table("answers").rows.count == 90)
    }

    @Test func theTerminalSaysTheSame() throws {
        let streams = StreamReport(
            queries: Self.queries, origin: Self.origin, settings: .init())
        #expect(streams.summary.contains("clean 5 s: 20 queries"))
        let negatives = NegativeReport(try Self.negatives).summary
        #expect(negatives.contains("4.00 h played, 2.00 h of them distinct, against 3 references: 1 false"))
        #expect(GrowthReport.summary(of: Self.points[0]).contains("recall "))
    }

    private static let frontierText = """
        name: tiny
        corpus: synthetic
        seed: 5
        queries: 2
        coarse: 3
        axes:
          - name: White <noise>
            unit: dB
            severity: {from: 0, to: -30, resolution: 2}
            chain: [{noise: {colour: white, snrDecibels: $severity}}]
        """

    @Test func everyPageEndsWithTheSameProvenance() throws {
        let axes = try FrontierFile(text: Self.frontierText, name: "t.yaml").axes
        let reports: [any Report] = [
            StreamReport(queries: Self.queries, origin: Self.origin, settings: .init()),
            GrowthReport(points: Self.points, origin: Self.origin),
            FrontierReport(FrontierResult(axes: axes, limits: [], facts: SampleRun.facts)),
            MinimisedReport([], facts: SampleRun.facts, command: { _, _ in ["earshot", "try"] }),
            ReportModel(records: [], facts: SampleRun.facts),
        ]
        for report in reports {
            let page = try #require(report.files(charts: nil).last).text()
            let block = try #require(page.components(separatedBy: "<section id=\"provenance\">").last)
            let names = block.matches(of: #/<th scope="row">([^<]*)<\/th>/#).map { String($0.output.1) }
            let wanted = [
                "Matcher", "Changed settings", "Plan", "Corpus", "Seed", "Commit of the working folder",
                "Started", "Answers from the cache",
            ]
            let folded = [
                "Settings", "Digest of answers", "Digest of its program", "Digest of corpus", "Request",
                "Digest of earshot", "Machine", "Type of processor", "Instructions", "System", "Versions",
            ]
            #expect(names.prefix(wanted.count) == wanted[...])
            #expect(names.filter(folded.contains) == folded)
            let details = try #require(block.components(separatedBy: "<details>").last)
            #expect(folded.allSatisfy { details.contains("<th scope=\"row\">\($0)</th>") })
            #expect(!page.contains("{{") && !page.contains("White <noise>"))
        }
    }

    @Test func provenanceIsInWords() throws {
        var facts = SampleRun.facts
        facts.request = RunRequest(
            plan: "smoke", half: .tuning, positives: 6, axes: ["a", "b"],
            matcher: MatcherRequest(settings: [.init(name: "decision.threshold", value: -2)]))
        facts.stageSeconds = ["queries": 3, "matching": 1]
        facts.stageTrialCount = 8
        let page = try WrittenReport(ReportModel(records: [], facts: facts)).page
        #expect(
            page.contains(
                "<bdi>plan: smoke, half: tuning, positives: 6, axes: a and b, matcher: earshot, "
                    + "decision.threshold = -2.0</bdi>"))
        #expect(
            page.contains(
                "<bdi>2.0 trials per processor second: queries 75.0\u{A0}%, matching 25.0\u{A0}%</bdi>"))
    }

    @Test func columnsOfStudiesAreCamelCase() throws {
        let reports: [any Report] = [
            FrontierReport(FrontierResult(axes: [], limits: [], facts: SampleRun.facts)),
            MinimisedReport([], facts: SampleRun.facts, command: { _, _ in ["earshot", "try"] }),
        ]
        for report in reports {
            let table = try #require(report.files(charts: nil).first).text()
            #expect(table.contains("startSeconds") && !table.contains("_"))
        }
    }
}

/// The page of passages, on made-up results.
@Suite struct PassagePageTests {
    private static func airing(_ id: String, _ begin: Double, _ end: Double) -> Airing {
        Airing(referenceID: id, kind: .spot, queryRange: begin...end, referenceRange: 0...(end - begin))
    }

    private static func answer(_ id: String, _ begin: Double, _ end: Double) -> PassageOutcome.Answer {
        .init(
            Passage(
                referenceID: id, queryRange: begin...end, referenceRange: 0...(end - begin), score: 1))
    }

    private static func outcome(mistakes: Int) -> PassageOutcome {
        var airings = [airing("right", 10, 20)]
        for number in 0..<mistakes {
            let begin = 100 * Double(number + 1)
            airings.append(airing("missed <\(number)>", begin, begin + 5))
        }
        return PassageOutcome(
            airings: airings, durationSeconds: 4000,
            answers: [answer("right", 10, 20), answer("wrong", 3700, 3712)])
    }

    private static func page(_ outcome: PassageOutcome) throws -> String {
        let files = PassageReport(outcome, origin: FigurePageTests.origin).files(charts: nil)
        return try #require(files.last).text()
    }

    @Test func mistakesStandBeforeTheTablesAndLeadToTheirPlaces() throws {
        var outcome = Self.outcome(mistakes: 3)
        // The longest mistake is the false passage, which is the last row.
        let score = PassageScore(outcome)
        let sound = TrialDetail.Sound(data: Data("OggS".utf8), seconds: 1, wholeSeconds: 1)
        outcome.sounds[score.mistakes[0]] = PassageSound(recording: sound, reference: nil)
        let html = try Self.page(outcome)
        #expect(html.contains("Longest miss: missed &lt;0&gt; at 0:01:40.00, 5.00"))
        #expect(html.contains("Longest false passage: wrong at 1:01:40.00, 12.0"))
        let list = try #require(html.firstMatch(of: #/<ol class="passages">[\s\S]*?</ol>/#)?.output)
        let table = try #require(html.range(of: "<table"))
        #expect(list.endIndex < table.lowerBound)
        #expect(list.matches(of: #/<li id="passage-/#).count == 4)
        #expect(list.contains("at 0:03:20.00") && list.contains("spot"))
        #expect(html.contains("media-src data:") && list.matches(of: #/<audio /#).count == 1)
        let ids = Set(html.matches(of: #/ id="([^"]+)"/#).map { String($0.output.1) })
        let links = html.matches(of: #/<a href="#(passage-[^"]+)">/#).map { String($0.output.1) }
        #expect(links.count == 4 && ids.isSuperset(of: links))
        for words in ["found", "missed", "false", "duplicate or fragment"] {
            #expect(html.contains("<bdi>\(words)</bdi></li>"))
        }
        #expect(html.matches(of: #/<figure><figcaption>/#).count == 2)
    }

    @Test func manyMistakesAreFoldedAndNoneIsSaid() throws {
        let html = try Self.page(Self.outcome(mistakes: 30))
        #expect(html.matches(of: #/<li id="passage-/#).count == 20 && html.contains("11 shorter ones"))
        #expect(!html.contains("media-src"))
        var perfect = Self.outcome(mistakes: 0)
        perfect.answers.removeLast()
        let page = try Self.page(perfect)
        #expect(
            page.contains("Every true passage was found, and no answer was false.") && !page.contains("<ol"))
    }

    @Test func figuresHaveTheValuesOfTheScore() throws {
        let outcome = Self.outcome(mistakes: 3)
        let files = PassageReport(outcome, origin: FigurePageTests.origin).files(charts: nil)
        let table = ReadTable(try #require(files.first { $0.name == "figures.csv" }).text())
        let values = Dictionary(table.rows.map { ($0["figure"] ?? "", $0) }, uniquingKeysWith: { $1 })
        #expect(values["found"]?["value"] == "0.25" && values["found"]?["of"] == "4")
        #expect(values["precision"]?["value"] == "0.5" && values["f1"]?["value"] == "\(2.0 / 6)")
        let rate = 1 / (4000.0 / 3600)
        #expect(values["falsePerHour"]?["value"] == "\(rate)")
        // The false passage is as sure as the right one, and cuts its rate off the curve of all references.
        let area = Double(values["area"]?["value"] ?? "") ?? .nan
        #expect(abs(area - 0.25 * (10 - rate) / 10) < 1e-12 && values["areaByReference"]?["value"] == "0.25")
    }

    /// Airings of every kind and condition, with answers that are off at crossfades only.
    private static func drawn(seed: UInt64) -> PassageOutcome {
        var generator = SeededGenerator(seed: seed, "truth")
        var airings: [Airing] = []
        var answers: [PassageOutcome.Answer] = []
        var time = 0.0
        for number in 0..<40 {
            let begin = time + generator.uniform(in: 1...9)
            let end = begin + generator.uniform(in: 0.5...70)
            let (isFaded, isFast) = (generator.unit() < 0.5, generator.unit() < 0.3)
            let place = generator.uniform(in: 0...30)
            let skew = isFast ? generator.uniform(in: -0.05...0.05) : 0
            var airing = Airing(
                referenceID: "r, \"\(number % 15)\"", kind: PassageKind.allCases[number % 3],
                queryRange: begin...end, referenceRange: place...(place + (end - begin) * (1 + skew)),
                frequencySkew: skew, timeSkew: skew, fadeInSeconds: isFaded ? 2 : 0.01,
                fadeOutSeconds: isFaded ? 1.5 : 0)
            if generator.unit() < 0.3 { airing.voiceOver = begin...(begin + (end - begin) / 3) }
            if generator.unit() < 0.3 {
                airing.shared = .init(
                    referenceID: "twin \(number % 15)", queryRange: begin...(begin + (end - begin) / 2))
            }
            airings.append(airing)
            if generator.unit() < 0.8 {
                let off = isFaded ? 0.2 : 0
                answers.append(answer(airing.referenceID, begin + off, end + off))
            }
            time = end
        }
        var outcome = PassageOutcome(
            airings: airings, durationSeconds: time + 30,
            catalog: (Set(airings.flatMap { [$0.referenceID] + ($0.shared.map { [$0.referenceID] } ?? []) }))
                .sorted() + ["never"],
            answers: answers + [answer("never", 5, 10)])
        outcome.permitted = [.init(referenceID: "never", queryRange: 5...9)]
        return outcome
    }

    /// A table of truth, read again, gives the files of the run that wrote it.
    @Test func answersToATableScoreAsTheRunThatWroteIt() throws {
        var groups = Set<String>()
        for seed in 0..<20 {
            let outcome = Self.drawn(seed: UInt64(seed))
            func files(_ outcome: PassageOutcome) throws -> [String: String] {
                let files = PassageReport(outcome, origin: FigurePageTests.origin).files(charts: nil)
                return Dictionary(
                    uniqueKeysWithValues: try files.map { ($0.name, try $0.text()) })
            }
            let written = try files(outcome)
            let folder = try TemporaryFolder()
            let path = folder.file("truth.csv")
            try Data(try #require(written["truth.csv"]).utf8).write(to: URL(fileURLWithPath: path))
            let truths = try PassageTruth.truths(of: PassageList(truth: path))
            #expect(truths.count == 1 && truths[0].name.isEmpty && truths[0].notes.isEmpty)
            #expect(truths[0].airings == outcome.airings && truths[0].permitted == outcome.permitted)
            #expect(truths[0].durationSeconds == outcome.durationSeconds)
            let rows = outcome.answers.map {
                let range = $0.passage.queryRange
                let id = $0.passage.referenceID.replacing("\"", with: "\"\"")
                return "\"\(id)\",\(range.lowerBound),\(range.upperBound),\($0.passage.score),"
                    + "\($0.passage.referenceRange.lowerBound),\($0.passage.referenceRange.upperBound)"
            }
            let answers = folder.file("answers.csv")
            try Data(
                (["reference,begin,end,score,referenceBegin,referenceEnd"] + rows).joined(separator: "\n")
                    .utf8
            ).write(to: URL(fileURLWithPath: answers))
            let scored = try truths[0].outcome(of: PassageList(answers: answers))
            #expect(try files(scored) == written)
            let score = PassageScore(scored)
            groups.formUnion((score.kinds + score.conditions).map(\.name))
            // Only crossfades have an error.
            #expect(score.all.edgeErrors?.maximumAbsolute == 0)
        }
        #expect(
            groups == [
                "song", "spot", "jingle", "5 s or more", "voice over it", "other speed or tempo", "crossfade",
                "two versions",
            ])
    }

    /// An outcome that an older version stored has no catalog, and its page is written again.
    @Test func anOlderOutcomeIsRead() throws {
        let outcome = Self.outcome(mistakes: 2)
        let json = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(outcome)) as? [String: Any])
        #expect(json["catalog"] == nil)
        let read = try JSONDecoder().decode(
            PassageOutcome.self, from: JSONSerialization.data(withJSONObject: json))
        #expect(read.catalog == nil && read.airings == outcome.airings)
        #expect(try !Self.page(read).contains("in a catalog"))
    }
}
