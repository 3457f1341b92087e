import Metrics

/// What an answer costs, under the name by which a baseline stores it.
package enum TrialCost: String, CaseIterable, Sendable {
    /// Wall time over that of ``CalibrationLoop`` at the same time.
    case latencyRatio
    /// Processor time of the matcher in milliseconds, over all its threads and processes.
    case processorMilliseconds

    /// The cost of one pass; nil if it was not measured.
    func value(of pass: TrialRecord.Latency.Pass) -> Double? {
        let value: Double? =
            switch self {
            case .latencyRatio: pass.calibrationMilliseconds.map { pass.milliseconds / $0 }
            case .processorMilliseconds: pass.processorMilliseconds
            }
        return value.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    }

    /// The name of the cost in a pass of the run, counted from 0.
    package func name(ofPass number: Int) -> String { "\(rawValue) \(number + 1)" }

    /// The costs of a trial by name: the median of its passes, and each pass.
    ///
    /// - Parameter starts: when the passes of the run began.
    static func numbers(of latency: TrialRecord.Latency, passesFrom starts: [Double]) -> [String: Double] {
        var numbers: [String: Double] = [:]
        for cost in allCases {
            numbers[cost.rawValue] = Percentile.of(latency.passes.compactMap(cost.value), at: 0.5)
            for pass in latency.passes {
                guard let number = pass.startedAt.flatMap({ starts.firstIndex(of: $0) }) else { continue }
                numbers[cost.name(ofPass: number)] = cost.value(of: pass)
            }
        }
        return numbers
    }
}
