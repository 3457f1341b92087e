import Foundation

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

    /// JSON that can stand in a script element: no text in it can end the element.
    func json() throws -> String { try ScriptJSON.text(self) }
}
