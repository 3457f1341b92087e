import Degradations
import Evaluation
import Foundation
import Reporting
import Testing

private let sample = ReportModel(records: SampleRun.records(), facts: SampleRun.facts)

@Test func thePageLoadsNothing() throws {
    let report = try WrittenReport(sample)
    #expect(report.page.utf8.count < 3_000_000)
    #expect(report.page.contains("Content-Security-Policy\" content=\"default-src 'none'"))
    for pattern in ["<link", "<img", "<iframe", " src=", "@import", "url(", "http://", "https://"] {
        #expect(!report.markup.contains(pattern), "\(pattern) in the page")
    }
}

@Test func everyChartHasACanvasAndALabel() throws {
    let library = try #require(ChartLibrary.installed(), "Debian's libjs-chart.js is not installed")
    let page = try WrittenReport(sample, charts: library).page
    let canvases = page.matches(of: #/<canvas id="([^"]+)" role="img" aria-label="([^"]+)"/#)
    let names = canvases.map { String($0.output.1) }
    #expect(!names.isEmpty && Set(names).count == names.count, "two charts share a name")
    let data = try #require(page.firstMatch(of: #/id="drawings">([^<]*)</script>/#)).output.1
    let drawings = try JSONDecoder().decode([Drawing].self, from: Data(data.utf8))
    #expect(drawings.map(\.id) == names)
    let points = drawings.flatMap { $0.series.flatMap(\.points) }
    for point in points {
        #expect(point.lower ?? point.y <= point.y && point.y <= point.upper ?? point.y)
        if let condition = point.condition { #expect(page.contains("<tr id=\"\(condition)\"")) }
        if let trial = point.trial { #expect(sample.trials.indices.contains(trial)) }
    }
    // Points of some charts lead to conditions, of others to trials.
    #expect(points.contains { $0.condition != nil } && points.contains { $0.trial != nil })
}

/// A chart as its script reads it.
private struct Drawing: Decodable {
    struct Series: Decodable { let points: [Point] }

    struct Point: Decodable {
        let x: Double
        let y: Double
        let lower: Double?
        let upper: Double?
        let condition: String?
        let trial: Int?
    }

    let id: String
    let series: [Series]
}

/// Where every query is found, a curve tells nothing.
@Test func curvesAreOfGroupsWithMisses() throws {
    let library = try #require(ChartLibrary.installed(), "Debian's libjs-chart.js is not installed")
    let page = try WrittenReport(sample, charts: library).page
    let curves = page.matches(of: #/<canvas id="curve-([A-Za-z]+)"/#).map { String($0.output.1) }
    #expect(!curves.isEmpty)
    for group in sample.groups where group.score.recall.rate == 1 {
        #expect(!curves.contains(group.group.rawValue))
    }
}

@Test func withoutALibraryThereAreTables() throws {
    let report = try WrittenReport(sample, charts: nil)
    #expect(!report.page.contains("<canvas"))
    #expect(report.page.contains("libjs-chart.js"))
    #expect(report.pageCells.count == sample.cells.count)
    #expect(ChartLibrary.installed(at: ["/nonexistent/chart.js", "/etc/hostname", "/"]) == nil)
}

@Test func idsAreUniqueAndLinksHaveTargets() throws {
    let markup = try WrittenReport(sample).markup
    let ids = markup.matches(of: #/ id="([^"]+)"/#).map { String($0.output.1) }
    #expect(Set(ids).count == ids.count)
    let targets = markup.matches(of: #/href="#([^"]*)"/#).map { String($0.output.1) }
    #expect(targets.count > 80)
    for target in targets { #expect(ids.contains(target), "#\(target)") }
}

@Test func tablesNameTheirHeads() throws {
    let markup = try WrittenReport(sample).markup
    let tables = markup.matches(of: #/<table[\s\S]*?</table>/#).map { String($0.output) }
    #expect(tables.count >= 10)
    for table in tables { #expect(table.contains("<caption")) }
    #expect(markup.matches(of: #/<th(?![^>]*scope=)[ >]/#).isEmpty)
}

/// Names that would break out of an element, an attribute, a script, a shell word or their own line.
private let hostileNames = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "</title><b>",
    "\"\u{301} autofocus onfocus=alert(1) x=", "<\u{338}script>", "a\u{202E}gpj.exe", "nul\u{0}bell\u{7}",
    "{{title}}",
    "{{{script}}}", "&lt;b&gt;", "</script><script>alert(1)//", "<!--", "-->", "`$(reboot)`",
    "it's; rm -rf ~", "-rf",
]

/// A report in which everything that can have a name is called `name`.
private func model(named name: String) -> ReportModel {
    var facts = SampleRun.facts
    facts.planName = name
    facts.planPath = name
    facts.request.plan = name
    facts.matcher.name = name
    facts.matcher.settings = [name: name]
    facts.corpusName = name
    facts.notes = [name]
    let records = SampleRun.records(positives: 2, negatives: 1).prefix(30).map { record in
        var record = record
        record.trial.id = name + record.trial.id
        record.trial.cell.degradation = name + record.trial.cell.degradation
        record.trial.cell.severity = name + record.trial.cell.severity
        record.truthReferences = [name]
        record.trial.source = name
        for index in record.candidates.indices { record.candidates[index].referenceID = name + "!" }
        record.error = record.trial.index % 7 == 0 ? name : nil
        return record
    }
    return ReportModel(
        records: Array(records), facts: facts,
        commands: RunCommands(tryTrial: name, matcher: name))
}

/// The tags of a page, in order, without those of its scripts.
private func tags(_ report: WrittenReport) -> [String] {
    bytewise(report.markup).matches(of: #/<[^>]*>/#).map { String($0.output) }
}

/// How many tags the page has when nothing in it is hostile.
private let harmlessTags = (try? tags(WrittenReport(model(named: "harmless"))))?.count

@Test(arguments: hostileNames)
func hostileNamesAreText(name: String) throws {
    func scripts(_ report: WrittenReport) -> Int {
        bytewise(report.page).components(separatedBy: "<script").count
    }
    let report = try WrittenReport(model(named: name))
    // No name opens an element or closes one, in the markup or out of a script's data.
    let all = tags(report)
    #expect(all.count == harmlessTags)
    #expect(scripts(report) == 5)
    for tag in all where !tag.hasPrefix("</") && tag != "<!doctype html>" {
        // Without its quoted values a tag has only names and equals signs.
        let bare = tag.replacing(#/"[^"]*"/#, with: "")
        #expect(bare.wholeMatch(of: #/<[a-z0-9]+( [a-z-]+=?)*>/#) != nil, "\(tag)")
        #expect(!bare.contains(" on"), "\(tag)")
    }
    for scalar in report.markup.unicodeScalars {
        #expect(scalar.value >= 32 || scalar == "\n" || scalar == "\t", "U+\(scalar.value)")
        #expect(!("\u{202A}"..."\u{202E}").contains(scalar))
    }
    // The tables keep it as it is. A spreadsheet would take a minus with an exclamation mark for a formula.
    let answer = (name.hasPrefix("-") ? "'" : "") + name + "!"
    let rows = ReadTable(report.trials).rows
    #expect(rows.count == 30)
    #expect(rows.allSatisfy { $0["answerReference"] == answer || $0["answerReference"] == "" })
    #expect(rows.allSatisfy { $0["trial"]?.unicodeScalars.starts(with: name.unicodeScalars) == true })
}

@Test func commandsAreOneShellWordEach() throws {
    var record = SampleRun.records(positives: 1, negatives: 0)[0]
    record.candidates = []
    record.trial.id = "-rf $HOME it's"
    let commands = RunCommands(tryTrial: "earshot try --trial ", matcher: "")
    let page = try WrittenReport(
        ReportModel(records: [record], facts: SampleRun.facts, commands: commands)
    ).page
    #expect(page.contains("\"word\":[\"'-rf $HOME it'\\\\''s'\"]"))
}

@Test func aRunWithoutTrialsIsReported() throws {
    let report = try WrittenReport(ReportModel(records: [], facts: SampleRun.facts))
    #expect(ReadTable(report.trials).rows.isEmpty)
    #expect(ReadTable(report.cells).rows.isEmpty)
    #expect(report.page.contains("has no trials"))
    #expect(
        SummaryTable.text(ReportModel(records: [], facts: SampleRun.facts)) == "The run has no trials.\n")
}

@Test func longSeveritiesBreakBetweenTheirParts() throws {
    var record = SampleRun.records(positives: 1, negatives: 0)[0]
    record.trial.cell.degradation = "combination"
    record.trial.cell.severity = "speed -4 %, pink 0 dB"
    let page = try WrittenReport(ReportModel(records: [record], facts: SampleRun.facts)).page
    #expect(page.contains("speed \u{2212}4\u{A0}%, pink 0\u{A0}dB"))
}

@Test func crossedFormatsBecomeAMatrix() throws {
    var records: [TrialRecord] = []
    for encoding in ["flac-16", "ogg-opus-24k"] {
        for rate in [8000, 37800] {
            var record = SampleRun.records(positives: 1, negatives: 0)[0]
            record.trial.index = records.count
            record.trial.id = "matrix/\(records.count)"
            record.trial.cell.degradation = "rate × format"
            record.trial.cell.severity = "\(encoding) \(rate)"
            let steps: [any Degradation] = [
                Resample(sampleRateHertz: rate), Layout(channels: .stereo), Format(encoding: encoding),
            ]
            record.trial.chain = DegradationChain(steps: steps.map { AnyDegradation($0) })
            record.isOffered = encoding == "flac-16" || rate == 8000
            records.append(record)
        }
    }
    let model = ReportModel(records: records, facts: SampleRun.facts)
    let matrix = try #require(model.matrices.first)
    #expect(model.matrices.count == 1)
    #expect(matrix.axis == .sampleRate)
    #expect(matrix.columns == ["8000", "37800"])
    #expect(model.cells.allSatisfy { $0.group == .matrix })
    #expect(matrix.rows.map(\.encoding) == ["flac-16", "ogg-opus-24k"])
    #expect(matrix.rows.map(\.layout) == ["stereo", "stereo"])
    #expect(matrix.rows[1].scores[1]?.isNotOffered == true)
    let page = try WrittenReport(model).page
    #expect(page.contains("<td class=\"number absent\">not offered</td>"))
    #expect(sample.matrices.isEmpty)
}
