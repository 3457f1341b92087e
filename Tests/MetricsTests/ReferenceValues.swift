import Foundation

/// Figures computed by SciPy and NumPy; `scripts/make-metric-fixtures.py` writes them.
struct ReferenceValues: Decodable {
    struct Wilson: Decodable {
        let successes: Int
        let trials: Int
        let confidence: Double
        let lower: Double
        let upper: Double
    }
    struct NormalQuantile: Decodable {
        let probability: Double
        let value: Double
    }
    struct Quantile: Decodable {
        let fraction: Double
        let value: Double
    }
    struct Sample: Decodable {
        let values: [Double]
        let quantiles: [Quantile]
        let bias: Double
        let meanAbsolute: Double
        let medianAbsolute: Double
        let percentile95Absolute: Double
        let maximumAbsolute: Double
    }
    struct UpperBound: Decodable {
        let successes: Int
        let trials: Int
        let confidence: Double
        let bound: Double
    }
    struct Clustered: Decodable {
        let successes: [Int]
        let trials: [Int]
        let effectiveTrials: Double
        let lower: Double
        let upper: Double
    }
    struct Reliability: Decodable {
        struct Forecast: Decodable {
            let probability: Double
            let happened: Bool
            let weight: Double
            let cluster: String
        }
        struct Bin: Decodable {
            let from: Double
            let count: Int
            let share: Double
            let stated: Double
            let observed: Double
            let lower: Double
            let upper: Double
        }
        let forecasts: [Forecast]
        let bins: [Bin]
        let expectedCalibrationError: Double
        let brierScore: Double
    }

    let wilson: [Wilson]
    let normalQuantiles: [NormalQuantile]
    let samples: [Sample]
    let upperBounds: [UpperBound]
    let clustered: [Clustered]
    let reliability: Reliability

    static func load() throws -> ReferenceValues {
        let folder = Bundle.module.bundleURL.appendingPathComponent("Fixtures")
        let data = try Data(contentsOf: folder.appendingPathComponent("reference-values.json"))
        return try JSONDecoder().decode(ReferenceValues.self, from: data)
    }
}

/// Whether two figures agree to `tolerance`, relative to the larger above 1 and absolute below.
func agree(_ a: Double, _ b: Double, tolerance: Double) -> Bool {
    abs(a - b) <= tolerance * max(1, abs(a), abs(b))
}
