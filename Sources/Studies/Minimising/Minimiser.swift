import AudioCore
import Corpora
import Degradations
import Evaluation
import SystemIO

/// Makes a failing query easier until any further step would make it pass.
///
/// This is delta debugging with severities (A. Zeller and R. Hildebrandt, "Simplifying and isolating failure-inducing
/// input", IEEE Transactions on Software Engineering 28(2), 2002). It leaves out steps of the chain, then bisects
/// parameters down to the mildest value that still fails, then lengthens the query. It repeats this until nothing
/// changes. The result is minimal one step at a time: a query that is easier in several respects at once may also
/// fail.
package struct Minimiser {
    package enum Verdict: String, Codable, Hashable, Sendable {
        case fails
        case holds
        /// The query failed with an error, so it has no result.
        case void
    }

    package struct Minimum: Sendable {
        package let cut: DegradedQuery
        package let stepsLess: [(reduction: Reduction, cut: DegradedQuery, verdict: Verdict)]
        package let runs: Int
    }

    private let longestSeconds: Double
    private let verdict: (DegradedQuery) throws -> Verdict
    private var known: [DegradedQuery: Verdict] = [:]

    /// - Parameter longestSeconds: no query gets longer.
    package init(longestSeconds: Double, verdict: @escaping (DegradedQuery) throws -> Verdict) {
        self.longestSeconds = longestSeconds
        self.verdict = verdict
    }

    /// The minimum below `cut`; nil when `cut` does not fail.
    package mutating func minimum(below cut: DegradedQuery) throws -> Minimum? {
        guard try fails(cut) else { return nil }
        var cut = cut
        var bare = cut
        bare.chain.steps = []
        if try fails(bare) { cut = bare }
        while let easier = try easier(than: cut) { cut = easier }
        var stepsLess: [(reduction: Reduction, cut: DegradedQuery, verdict: Verdict)] = []
        for reduction in Reduction.all(of: cut) {
            let ladder = try reduction.ladder(from: cut, longestSeconds: longestSeconds)
            guard ladder.count > 1 else { continue }
            stepsLess.append((reduction, ladder[1], try judged(ladder[1])))
        }
        return Minimum(cut: cut, stepsLess: stepsLess, runs: known.count)
    }

    /// The query after one round of reductions; nil when none is possible.
    private mutating func easier(than start: DegradedQuery) throws -> DegradedQuery? {
        var cut = start
        var step = 0
        while step < cut.chain.steps.count {
            let ladder = try Reduction.removal(step: step).ladder(from: cut, longestSeconds: longestSeconds)
            if try fails(ladder[1]) { cut = ladder[1] } else { step += 1 }
        }
        for reduction in Reduction.all(of: cut) {
            if case .removal = reduction { continue }
            let ladder = try reduction.ladder(from: cut, longestSeconds: longestSeconds)
            cut = ladder[try lastFailing(ladder)]
        }
        return cut == start ? nil : cut
    }

    /// A rung that fails while the next, if any, does not.
    private mutating func lastFailing(_ ladder: [DegradedQuery]) throws -> Int {
        guard ladder.count > 1, try fails(ladder[1]) else { return 0 }
        var (low, high) = (1, ladder.count - 1)
        if try fails(ladder[high]) { return high }
        while high - low > 1 {
            let middle = (low + high) / 2
            if try fails(ladder[middle]) { low = middle } else { high = middle }
        }
        return low
    }

    private mutating func fails(_ cut: DegradedQuery) throws -> Bool { try judged(cut) == .fails }

    private mutating func judged(_ cut: DegradedQuery) throws -> Verdict {
        if let verdict = known[cut] { return verdict }
        let result = try verdict(cut)
        known[cut] = result
        return result
    }
}

/// A query, defined by its place in a recording and the steps of its degradation.
package struct DegradedQuery: Codable, Hashable, Sendable {
    package let track: String
    package let isPositive: Bool
    package let startFrame: Int
    package let sampleRate: Int
    package var lengthSeconds: Double
    package var chain: DegradationChain

    package init(
        track: Track, isPositive: Bool, startFrame: Int, lengthSeconds: Double, chain: DegradationChain
    ) {
        self.track = track.id
        self.isPositive = isPositive
        self.startFrame = startFrame
        sampleRate = track.sampleRate
        self.lengthSeconds = lengthSeconds
        self.chain = chain
    }

    /// A cut from a track, degraded by a chain whose draws `seed` decides.
    package init(
        _ track: Track, startFrame: Int, lengthSeconds: Double, chain: [DegradationTemplate], seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed, "try", "chain")
        let steps = try chain.map { try $0.draw(using: &generator) }
        self.init(
            track: track, isPositive: track.isEnrolled, startFrame: startFrame, lengthSeconds: lengthSeconds,
            chain: DegradationChain(steps: steps))
    }

    /// The start in seconds; times ``sampleRate`` it rounds to ``startFrame``.
    package var startSeconds: Double { Double(startFrame) / Double(sampleRate) }

    package var trial: Trial {
        var trial = Trial(
            id: "\(track)@\(startSeconds)", index: 0,
            cell: Cell(degradation: "cut", severity: "", severityValue: nil, lengthSeconds: lengthSeconds),
            isPositive: isPositive, source: track, chain: chain, startSeed: 0)
        trial.startFrame = startFrame
        return trial
    }
}
