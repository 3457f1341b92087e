import Evaluation

/// `report.html`: the whole report as one page that opens without a network.
enum ReportPage {
    static func html(_ model: ReportModel, charts: ChartLibrary?) throws -> String {
        try PageTemplate.report.render(content(model, charts: charts))
    }

    private static func content(_ model: ReportModel, charts: ChartLibrary?) throws -> [String: Any?] {
        let facts = model.facts
        let anchors = Dictionary(
            uniqueKeysWithValues: model.cells.enumerated().map { ($1.key, "cell-\($0 + 1)") })
        let curves = CurveChart.all(model, anchors: anchors)
        let noises = NoiseChart.all(model, anchors: anchors)
        let errors = ErrorChart.all(model)
        let drawings: JSONObject = [
            "curves": curves, "errors": errors,
            "reliability": ReliabilityContent.chart(model), "detection": DetectionChart(model),
            "noises": noises,
        ]
        let notes = [facts.shard].compactMap(\.self).map {
            "This is shard \($0): its figures are those of 1 of \($0.count) parts of the plan."
        }
        let groups = model.groups.map {
            GroupContent($0, anchors: anchors, charts: curves, matrices: model.matrices)
        }
        return [
            "title": "\(facts.matcher.name) \(facts.matcher.version) on \(facts.corpusName)",
            "style": PageTemplate.text(PackageResources.style_css, PackageResources.trials_css),
            "script": PageTemplate.text(
                PackageResources.copy_js, PackageResources.tables_js, PackageResources.chartbase_js,
                PackageResources.charts_js, PackageResources.spectrogram_js, PackageResources.drilldown_js,
                PackageResources.trials_js),
            "chartLibrary": charts?.script,
            "hasCharts": charts != nil,
            "chartData": try charts.map { _ in try ScriptJSON.text(drawings) },
            "hasTrials": !model.trials.isEmpty,
            "facts": facts.provenance,
            "commit": ProvenanceContent.short(facts.commit),
            "started": String(facts.startedAt.prefix(10)),
            "runScope": model.scope,
            "verdict": model.verdict,
            "weakness": model.weakness,
            "previous": model.previous?.words,
            "tiles": Tile.all(model),
            "against": model.against.map(AgainstContent.init),
            "overview": OverviewContent(model, anchors: anchors),
            "groups": groups,
            "recordings": RecordingContent(model),
            "noise": NoiseContent(model, charts: noises),
            "separation": SeparationContent(model),
            "precision": PrecisionContent(model, charts: errors),
            "skews": model.skews.map(SkewContent.init),
            "reliability": ReliabilityContent(model),
            "costs": CostContent(model),
            "latency": LatencyContent(model),
            "outcomes": OutcomeContent(model),
            "trialTable": try TrialsContent(model),
            "failed": NumberText.count(model.trials.count { $0.outcome?.isRight == false }),
            "suspects": SuspectsContent(model),
            "notes": notes + facts.notes,
            "provenance": ProvenanceContent(run: facts),
            "files":
                "The same figures are in trials.csv (every trial), cells.csv (every condition), recordings.csv, "
                + "det.csv, snr.csv, skew.csv, reliability.csv, costs.csv, retrieval.csv and summary.json beside this page. Their schema version is "
                + "\(ReportModel.schemaVersion).",
        ]
    }
}
