import Evaluation

/// `report.html`: the whole report as one page that opens without a network.
enum ReportPage {
    static func html(_ model: ReportModel, charts: ChartLibrary?) throws -> String {
        try template.render(PageContent(model, charts: charts))
    }

    private static let template = PageTemplate(parts: [
        ("report", PackageResources.report_mustache),
        ("header", PackageResources.header_mustache),
        ("headline", PackageResources.headline_mustache),
        ("tiles", PackageResources.tiles_mustache),
        ("against", PackageResources.against_mustache),
        ("changes", PackageResources.changes_mustache),
        ("conditions", PackageResources.conditions_mustache),
        ("cells", PackageResources.cells_mustache),
        ("matrix", PackageResources.matrix_mustache),
        ("precision", PackageResources.precision_mustache),
        ("noise", PackageResources.noise_mustache),
        ("separation", PackageResources.separation_mustache),
        ("skew", PackageResources.skew_mustache),
        ("reliability", PackageResources.reliability_mustache),
        ("latency", PackageResources.latency_mustache),
        ("outcomes", PackageResources.outcomes_mustache),
        ("trials", PackageResources.trials_mustache),
        ("failures", PackageResources.failures_mustache),
        ("suspects", PackageResources.suspects_mustache),
        ("provenance", PackageResources.provenance_mustache),
    ])
}

/// Everything the templates name.
///
/// The templates see stored properties only. None is optional: a template looks for a missing value in the values
/// around it.
struct PageContent {
    let title: String
    let style = [PackageResources.style_css, PackageResources.trials_css]
        .map { String(decoding: $0, as: UTF8.self) }.joined()
    let script = [
        PackageResources.copy_js, PackageResources.tables_js, PackageResources.chartbase_js,
        PackageResources.charts_js, PackageResources.spectrogram_js, PackageResources.drilldown_js,
        PackageResources.trials_js,
    ].map { String(decoding: $0, as: UTF8.self) }.joined()
    let chartLibrary: String
    let hasCharts: Bool
    let chartData: String
    let hasTrials: Bool
    let header: HeaderContent
    let tiles: [Tile]
    let againsts: [AgainstContent]
    let weakest: [WeakCell]
    let hasWeakest: Bool
    let hasGlance: Bool
    let glance: [GlanceRow]
    let heatLegend: [HeatStep]
    let groups: [GroupContent]
    let noises: [NoiseContent]
    let separations: [SeparationContent]
    let precision: PrecisionContent
    let skews: [SkewContent]
    let hasSkews: Bool
    let reliabilities: [ReliabilityContent]
    let latencies: [LatencyContent]
    let outcomes: OutcomeContent
    let trialTable: TrialsContent
    let failures: FailureContent
    let suspects: [SuspectsContent]
    let notes: [String]
    let hasNotes: Bool
    let provenance: ProvenanceContent
    let files =
        "The same figures are in trials.csv (every trial), cells.csv (every condition), det.csv, snr.csv, skew.csv, "
        + "reliability.csv and summary.json beside this page. Their schema version is \(ReportModel.schemaVersion)."

    init(_ model: ReportModel, charts: ChartLibrary?) throws {
        let facts = model.facts
        title = "\(facts.matcher.name) \(facts.matcher.version) on \(facts.corpusName)"
        hasCharts = charts != nil
        chartLibrary = charts?.script ?? ""
        hasTrials = !model.trials.isEmpty
        let drawings = Drawings(model)
        chartData = charts == nil ? "{}" : try ScriptJSON.text(drawings)
        header = HeaderContent(model)
        tiles = hasTrials ? Tile.all(model) : []
        againsts = model.against.map { [AgainstContent($0)] } ?? []
        let anchors = Dictionary(
            uniqueKeysWithValues: model.cells.enumerated().map { ($1.key, "cell-\($0 + 1)") })
        weakest = model.weakestCells(limit: 6).map { WeakCell($0, anchors: anchors) }
        hasWeakest = !weakest.isEmpty
        glance = GlanceRow.all(model, anchors: anchors)
        hasGlance = !glance.isEmpty
        heatLegend = HeatStep.legend
        groups = model.groups.map {
            GroupContent($0, anchors: anchors, charts: drawings.curves, matrices: model.matrices)
        }
        noises = NoiseContent(model, charts: drawings.noises).map { [$0] } ?? []
        separations = SeparationContent(model).map { [$0] } ?? []
        precision = PrecisionContent(model, charts: drawings.errors)
        skews = SkewContent.all(model)
        hasSkews = !skews.isEmpty
        reliabilities = ReliabilityContent(model).map { [$0] } ?? []
        latencies = LatencyContent(model).map { [$0] } ?? []
        outcomes = OutcomeContent(model)
        trialTable = try TrialsContent(model)
        failures = FailureContent(model)
        suspects = SuspectsContent(model).map { [$0] } ?? []
        notes = Self.shardNotes(facts) + facts.notes
        hasNotes = !notes.isEmpty
        provenance = ProvenanceContent(run: facts)
    }

    private static func shardNotes(_ facts: RunFacts) -> [String] {
        facts.shard.map {
            ["This is shard \($0): its figures are those of 1 of \($0.count) parts of the plan."]
        } ?? []
    }
}

/// All that the page's script draws.
struct Drawings: Encodable {
    let curves: [CurveChart]
    let errors: [ErrorChart]
    let latency: LatencyChart?
    let reliability: ReliabilityChart?
    let detection: DetectionChart?
    let noises: [NoiseChart]

    init(_ model: ReportModel) {
        curves = CurveChart.all(model)
        errors = ErrorChart.all(model)
        latency = LatencyChart(model)
        reliability = ReliabilityChart(model)
        detection = DetectionChart(model)
        noises = NoiseChart.all(model)
    }
}
