import Foundation

/// Figures of SciPy and NumPy, written by `scripts/make-metric-fixtures.py`.
struct ReferenceValues: Decodable {
    struct Bounds: Decodable {
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
    struct BinomialTail: Decodable {
        let successes: Int
        let trials: Int
        let rate: Double
        let atMost: Double
        let atLeast: Double
    }
    struct Rate: Decodable {
        let events: Int
        let exposure: Double
        let confidence: Double
        let lower: Double
        let upper: Double
    }
    struct Pairs: Decodable {
        let onlyBefore: Int
        let onlyAfter: Int
        let probability: Double
    }
    struct Holm: Decodable {
        let probabilities: [Double]
        let adjusted: [Double]
    }
    struct SignFlip: Decodable {
        let differences: [Double]
        let probability: Double
    }
    struct Bootstrap: Decodable {
        let sums: [Double]
        let counts: [Int]
        let lower: Double
        let upper: Double
    }
    struct Clustered: Decodable {
        let successes: [Int]
        let trials: [Int]
        let effectiveTrials: Double
        let lower: Double
        let upper: Double
    }
    struct Detection: Decodable {
        let rightScores: [Double]
        let wrongScores: [Double]
        let equalErrorRate: Double
        let area: Double
        let rates: [Double]
        let recalls: [Double]
    }
    struct Tail: Decodable {
        struct Exceeded: Decodable {
            let share: Double
            let score: Double
        }
        let scores: [Double]
        let shape: Double
        let exceeded: [Exceeded]
    }
    struct Isotonic: Decodable {
        let x: [Double]
        let y: [Double]
        let weights: [Double]
        let places: [Double]
        let values: [Double]
    }
    struct Psychometric: Decodable {
        let levels: [Double]
        let successes: [Double]
        let trials: [Double]
        let levelAtHalf: Double
        let levelAtNineTenths: Double
        let lapseRate: Double
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

    let wilson: [Bounds]
    let normalQuantiles: [NormalQuantile]
    let samples: [Sample]
    let poisson: [Rate]
    let poissonOneSided: [Rate]
    let binomialTails: [BinomialTail]
    let pairs: [Pairs]
    let holm: [Holm]
    let signFlips: [SignFlip]
    let bootstraps: [Bootstrap]
    let clustered: [Clustered]
    let reliability: Reliability
    let detection: Detection
    let tails: [Tail]
    let isotonic: [Isotonic]
    let psychometric: [Psychometric]

    static func load() throws -> ReferenceValues { try loaded.get() }

    private static let loaded = Result {
        let folder = Bundle.module.bundleURL.appendingPathComponent("Fixtures")
        let data = try Data(contentsOf: folder.appendingPathComponent("reference-values.json"))
        return try JSONDecoder().decode(ReferenceValues.self, from: data)
    }
}

/// Whether two figures agree to `tolerance`, relative to the larger above 1 and absolute below.
func agree(_ a: Double, _ b: Double, tolerance: Double) -> Bool {
    abs(a - b) <= tolerance * max(1, abs(a), abs(b))
}

/// Whether two figures agree to `tolerance`, relative to the larger at any size.
func agreeRelatively(_ a: Double, _ b: Double, tolerance: Double) -> Bool {
    a == b || abs(a - b) <= tolerance * max(abs(a), abs(b))
}
