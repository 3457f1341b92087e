import Foundation
import Metrics
import Studies

/// `intros.html`: a study of intros as one page that opens without a network.
enum IntroPage {
    static func html(_ model: IntroModel, charts: ChartLibrary?) throws -> String {
        try PageTemplate(parts: [("intros", PackageResources.intros_mustache)])
            .render(IntroContent(model, charts: charts))
    }
}

/// A table of the page: a caption, its head and its rows, all of text.
struct IntroTable {
    let title: String
    let note: String
    let head: [String]
    let rows: [IntroTableRow]
}

/// A row of a table: what it is about, then its figures.
struct IntroTableRow {
    let name: String
    let cells: [String]
}

/// Everything the template names; none is optional, for a missing value would be looked for in those around it.
struct IntroContent {
    let title = "Similar intros"
    let style = String(decoding: PackageResources.style_css, as: UTF8.self)
    let script = [PackageResources.chartbase_js, PackageResources.charts_js]
        .map { String(decoding: $0, as: UTF8.self) }.joined()
    let chartLibrary: String
    let hasCharts: Bool
    let chartData: String
    let curves: [IntroCurve]
    let matcher: String
    let corpus: String
    let half: String
    let plan: String
    let digest: String
    let seed: String
    let margin: String
    let sets: String
    let verdict: String
    let tables: [IntroTable]
    let errors: Int
    let hasErrors: Bool

    init(_ model: IntroModel, charts: ChartLibrary?) throws {
        chartLibrary = charts?.script ?? ""
        curves = IntroCurve.all(model)
        hasCharts = charts != nil && !curves.isEmpty
        chartData = try IntroDrawings(curves: curves).json()
        matcher = model.matcher
        corpus = "\(model.plan.corpus) (\(model.corpusDigest.prefix(12)))"
        half = model.plan.half.rawValue
        plan = model.plan.name
        digest = String(model.plan.digest.prefix(12))
        seed = String(model.plan.seed)
        margin = NumberText.plain(model.plan.margin)
        let count = Set(model.records.map(\.set)).count
        sets = "\(count) \(count == 1 ? "set" : "sets"), \(NumberText.count(model.records.count)) queries"
        errors = model.records.count { $0.error != nil }
        hasErrors = errors > 0
        verdict = Self.verdict(model.score)
        tables =
            [
                Self.delays(model.score), Self.inside(model.score), Self.boundary(model.score),
                Self.reliable(model.tags),
                Self.tags(model.tags), Self.margins(model),
            ].filter { !$0.rows.isEmpty } + model.score.confusions.map(Self.confusion)
    }

    private static func verdict(_ score: IntroScore) -> String {
        let all = score.boundary.flatMap(\.records)
        let wrong = Proportion(
            clustered: all.map { ($0.set, $0.verdict(margin: score.margin) == .wrong) })
        let inside = score.inside.flatMap(\.records)
        let claimed = Proportion(
            clustered: inside.map { ($0.set, $0.verdict(margin: score.margin) == .wrong) })
        let complete = Proportion(clustered: inside.map { ($0.set, $0.accepted == $0.episodes) })
        return
            "Within the intro every episode was returned for \(NumberText.rate(complete)) of the queries and one "
            + "was claimed for \(NumberText.rate(claimed)); of those that end after it \(NumberText.rate(wrong)) "
            + "claimed a wrong one."
    }
}
