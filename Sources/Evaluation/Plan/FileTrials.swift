import AudioCore
import Degradations
import SystemIO

extension Trial {
    /// Draws `count` cuts from one recording, each with a newly drawn chain.
    ///
    /// - Parameters:
    ///   - path: The recording, which is the source of each trial.
    ///   - templates: The steps of the chain.
    ///   - lengthSeconds: The length of each query.
    ///   - firstIndex: The position of the first trial among all.
    ///   - seed: The seed of every draw, combined with path and number.
    /// - Throws: `DegradationError` for a parameter out of range.
    package static func cuts(
        from path: String, name: String, chain templates: [DegradationTemplate], lengthSeconds: Double,
        count: Int, firstIndex: Int, seed: UInt64
    ) throws -> [Trial] {
        try (0..<count).map { number in
            let id = "\(name)/\(formatNumber(lengthSeconds))s/\(number)"
            var generator = SeededGenerator(seed: seed, id, "chain")
            let chain = DegradationChain(steps: try templates.map { try $0.draw(using: &generator) })
            var starts = SeededGenerator(seed: seed, id, "start")
            return Trial(
                id: id, index: firstIndex + number,
                cell: Cell(degradation: name, severity: "", severityValue: nil, lengthSeconds: lengthSeconds),
                isPositive: true, source: path, chain: chain, startSeed: starts.next())
        }
    }
}
