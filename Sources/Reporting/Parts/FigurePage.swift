import Corpora
import Evaluation
import Foundation
import Matchers
import Studies

/// A page of line charts and tables that opens without a network.
struct FigurePage {
    /// The heading.
    let title: String
    /// What was found, in a sentence or two.
    let verdict: String
    /// What was measured on what.
    let scope: String
    /// The parts.
    let sections: [FigureSection]
    /// What the reader has to know.
    let notes: [String]
    /// Where it all comes from.
    let provenance: [ProvenanceRow]
    /// The files beside the page.
    let files: String

    /// Renders the page.
    ///
    /// - Parameter charts: the chart library to put in; nil gives a page with tables only, which says so.
    func html(charts: ChartLibrary?) throws -> String {
        try PageTemplate(parts: [("figures", PackageResources.figures_mustache)])
            .render(Content(self, charts: charts))
    }

    /// Everything the template names.
    private struct Content {
        let title: String
        let verdict: String
        let scope: String
        let style = String(decoding: PackageResources.style_css, as: UTF8.self)
        let script = [PackageResources.chartbase_js, PackageResources.lines_js]
            .map { String(decoding: $0, as: UTF8.self) }.joined()
        let chartLibrary: String
        let hasCharts: Bool
        let chartData: String
        let sections: [Section]
        let notes: [String]
        let hasNotes: Bool
        let provenance: [ProvenanceRow]
        let files: String

        init(_ page: FigurePage, charts: ChartLibrary?) throws {
            title = page.title
            verdict = page.verdict
            scope = page.scope
            hasCharts = charts != nil
            chartLibrary = charts?.script ?? ""
            chartData = try ScriptJSON.text(page.sections.flatMap(\.charts))
            sections = page.sections.map { Section($0, hasCharts: charts != nil) }
            notes = page.notes
            hasNotes = !notes.isEmpty
            provenance = page.provenance
            files = page.files
        }
    }

    private struct Section {
        let id: String
        let title: String
        let text: String
        let charts: [Chart]
        let tables: [FigureTable]

        init(_ section: FigureSection, hasCharts: Bool) {
            id = section.id
            title = section.title
            text = section.text
            charts = hasCharts ? section.charts.map(Chart.init) : []
            tables = section.tables
        }
    }

    private struct Chart {
        let id: String
        let title: String
        let caption: String
        let spoken: String

        init(_ chart: LineChart) {
            id = chart.id
            title = chart.title
            caption = chart.caption
            spoken = chart.spoken
        }
    }
}

extension FigurePage {
    /// A page about one measurement, whose notes stand before `notes`.
    init(
        title: String, verdict: String, scope: String, sections: [FigureSection], origin: MeasurementOrigin,
        notes: [String] = [], files: String
    ) {
        self.init(
            title: title, verdict: verdict, scope: scope, sections: sections, notes: origin.notes + notes,
            provenance: ProvenanceRow.all(origin), files: files)
    }
}

extension ProvenanceRow {
    /// Facts about a measurement.
    static func all(_ origin: MeasurementOrigin) -> [ProvenanceRow] {
        let settings = origin.matcher.settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        let machine = origin.machine
        let memory = NumberText.bytes(Double(machine.memoryBytes))
        let rows: [(String, String)] = [
            ("Command", origin.commandLine),
            ("Matcher", "\(origin.matcher.name) \(origin.matcher.version)"),
            ("Settings", settings.joined(separator: ", ")),
            ("Digest of answers", origin.matcher.digest),
            ("Plan", origin.plan ?? ""),
            ("Corpus", "\(origin.corpusName), \(origin.half.rawValue) half"),
            ("Digest of corpus", origin.corpusDigest),
            ("Seed", String(origin.seed)),
            ("Commit", origin.commit),
            ("Started", origin.startedAt),
            ("Machine", "\(machine.processor), \(machine.logicalCores) logical cores, \(memory)"),
            ("System", "\(machine.operatingSystem), kernel \(machine.kernel)"),
        ]
        return rows.map { ProvenanceRow(name: $0.0, value: $0.1.isEmpty ? NumberText.missing : $0.1) }
    }
}
