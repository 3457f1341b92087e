import Evaluation
import Studies

/// `frontier.html`: where queries are lost, as one page that opens without a network.
enum FrontierPage {
    static func html(_ result: FrontierResult) throws -> String {
        try PageTemplate(parts: [("frontier", PackageResources.frontier_mustache)])
            .render(FrontierContent(result))
    }
}

/// Everything the template names.
struct FrontierContent {
    /// One axis.
    struct Axis {
        let id: String
        let name: String
        let range: String
        let resolution: String
        let quantiles: [Cell]
        let never: String
        let always: String
        let holes: String
        let wrong: String
        let runs: String
        let gridRuns: String
        let saving: String
        let chart: LimitChart
    }

    /// A severity with its interval.
    struct Cell {
        let text: String
        let interval: String
    }

    /// A hole of one query.
    struct Hole {
        let axis: String
        let query: String
        let track: String
        let start: String
        let lost: String
        let between: String
        let outcome: String
    }

    let style = String(decoding: PackageResources.style_css, as: UTF8.self)
    let title: String
    let matcher: String
    let corpus: String
    let scope: String
    let cost: String
    let axes: [Axis]
    let holes: [Hole]
    let hasHoles: Bool
    let isCut: Bool
    let holeCount: String
    let warning: String
    let provenance: [ProvenanceRow]

    /// Beyond this many nobody reads on; `frontier.csv` has them all.
    private static let mostHoles = 500

    init(_ result: FrontierResult) {
        let facts = result.facts
        matcher = "\(facts.matcher.name) \(facts.matcher.version)"
        corpus = "\(facts.corpusName), \(facts.half) half"
        title = "Limits of \(matcher)"
        let queries = Set(result.limits.map(\.query)).count
        let clusters = Set(result.limits.map(\.cluster)).count
        scope =
            "\(NumberText.count(queries)) queries from \(NumberText.count(clusters)) recordings, along "
            + "\(result.axes.count) axes; \(NumberText.count(facts.referenceCount)) references enrolled"
        cost =
            "\(NumberText.count(result.runs)) runs of the matcher; every query at every step would be "
            + NumberText.count(result.gridRuns)
        let distributions = FrontierSummary.distributions(result)
        axes = distributions.enumerated().map { Self.axis($1, number: $0) }
        let all = distributions.flatMap { distribution in
            distribution.limits.flatMap { limit in
                limit.finding.holes.map { Self.hole($0, of: limit, on: distribution.axis) }
            }
        }
        holes = Array(all.prefix(Self.mostHoles))
        hasHoles = !all.isEmpty
        isCut = all.count > holes.count
        holeCount = NumberText.count(all.count)
        warning =
            clusters < 100
            ? "With \(clusters) recordings the intervals are rather too narrow than too wide." : ""
        provenance = ProvenanceRow.all(facts)
    }

    private static func axis(_ axis: AxisDistribution, number: Int) -> Axis {
        let rungs = axis.axis.ladder.rungs
        let wrong = axis.limits.count { $0.lostTrial?.outcome == .wrongReference }
        return Axis(
            id: "axis-\(number + 1)", name: axis.axis.name,
            range: [rungs[0], rungs[rungs.count - 1]].map { NumberText.severity($0.label) }
                .joined(separator: " to "),
            resolution: "\(rungs.count) steps, \(axis.axis.ladder.scale.rawValue)",
            quantiles: axis.quantiles.map { quantile in
                Cell(
                    text: axis.label(quantile.rung),
                    interval: quantile.interval.map {
                        $0.lower == $0.upper
                            ? axis.label($0.lower) : "\(axis.label($0.lower)) to \(axis.label($0.upper))"
                    } ?? NumberText.missing)
            }, never: NumberText.count(axis.count(.neverLost)),
            always: NumberText.count(axis.count(.alwaysLost)), holes: NumberText.count(axis.holes),
            wrong: NumberText.count(wrong), runs: NumberText.count(axis.runs),
            gridRuns: NumberText.count(axis.gridRuns),
            saving:
                "\(NumberText.significant(Double(axis.gridRuns) / Double(max(1, axis.runs)), digits: 2)) ×",
            chart: LimitChart(axis))
    }

    private static func hole(
        _ hole: ClosedRange<Int>, of limit: FrontierResult.Limit, on axis: FrontierAxis
    ) -> Hole {
        let rungs = axis.ladder.rungs
        func label(_ rung: Int) -> String { NumberText.severity(rungs[rung].label) }
        let found = [hole.lowerBound - 1, hole.upperBound + 1].filter(rungs.indices.contains).map(label)
        return Hole(
            axis: axis.name, query: limit.query, track: limit.track,
            start: NumberText.fixed(limit.startSeconds, digits: 2),
            lost: hole.count == 1
                ? label(hole.lowerBound) : "\(label(hole.lowerBound)) to \(label(hole.upperBound))",
            between: found.joined(separator: " and "),
            outcome: limit.trials[hole.lowerBound]?.outcome.map(OutcomeContent.name) ?? "")
    }
}
