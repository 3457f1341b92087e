import Foundation

/// How much more a cost is in one run than in another, if both took turns on one machine.
///
/// The speed of a shared machine belongs to the moment. All queries of a pass share it, so they are no independent evidence:
/// a pass over all queries is one observation. A round is a pass of each run, one directly after the other. The interval is
/// Student's for the mean logarithm of the rounds' ratios.
///
/// T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013.
package struct PassComparison: Hashable, Sendable {
    /// A pass over the timed queries.
    package struct Pass: Sendable {
        /// In seconds since any fixed moment.
        package let startedAt: Double
        /// The cost of each query, above 0, by a number that both runs share; nil where it was not measured.
        package let costs: [Double?]

        package init(startedAt: Double, costs: [Double?]) {
            self.startedAt = startedAt
            self.costs = costs
        }
    }

    /// The number of rounds that have a common query.
    package let rounds: Int
    /// The factor between the geometric means of the two runs.
    package let ratio: Double
    /// Its interval.
    package let interval: Interval

    /// With fewer rounds Student's quantile is so large that an interval says nothing.
    package static let fewestRounds = 5

    /// Compares two runs; nil with fewer than ``fewestRounds`` rounds.
    package init?(before: [Pass], after: [Pass], confidence: Double = 0.95) {
        let logarithms = Self.rounds(before, after).compactMap { before, after -> Double? in
            let changes = zip(before.costs, after.costs).compactMap { was, now -> Double? in
                guard let was, let now, was > 0, now > 0 else { return nil }
                return log(now / was)
            }
            return changes.isEmpty ? nil : changes.reduce(0, +) / Double(changes.count)
        }
        guard logarithms.count >= Self.fewestRounds,
            let estimate = Self.mean(logarithms, confidence: confidence)
        else { return nil }
        rounds = logarithms.count
        ratio = exp(estimate.value)
        interval = Interval(lower: exp(estimate.interval.lower), upper: exp(estimate.interval.upper))
    }

    /// The passes that took turns: each pass with the next one, if that is of the other run.
    package static func rounds(_ before: [Pass], _ after: [Pass]) -> [(before: Pass, after: Pass)] {
        let all = (before.map { (pass: $0, isAfter: false) } + after.map { (pass: $0, isAfter: true) })
            .sorted { $0.pass.startedAt < $1.pass.startedAt }
        var rounds: [(before: Pass, after: Pass)] = []
        var open: (pass: Pass, isAfter: Bool)?
        for next in all {
            guard let last = open, last.isAfter != next.isAfter else {
                open = next
                continue
            }
            rounds.append(next.isAfter ? (last.pass, next.pass) : (next.pass, last.pass))
            open = nil
        }
        return rounds
    }

    /// The mean of independent values with Student's interval; nil with fewer than 2.
    package static func mean(_ values: [Double], confidence: Double) -> (value: Double, interval: Interval)? {
        guard values.count > 1 else { return nil }
        let n = Double(values.count)
        let mean = values.reduce(0, +) / n
        let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (n - 1)
        let quantile = StudentDistribution(degreesOfFreedom: n - 1).quantile((1 + confidence) / 2)
        let half = quantile * (variance / n).squareRoot()
        return (mean, Interval(lower: mean - half, upper: mean + half))
    }
}
