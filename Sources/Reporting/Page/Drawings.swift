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
    func json() throws -> String { try Self.json(self) }

    /// The same for any drawing.
    static func json(_ drawing: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(drawing), as: UTF8.self)
        return String(
            text.unicodeScalars.flatMap { scalar -> [Character] in
                switch scalar {
                case "<": Array("\\u003c")
                case ">": Array("\\u003e")
                case "&": Array("\\u0026")
                default: [Character(scalar)]
                }
            })
    }
}
