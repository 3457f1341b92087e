/// Recall against a level, measured and fitted.
package struct RecallCurve: Sendable {
    /// The level at which recall reaches a wanted rate.
    package enum Crossing: Hashable, Sendable {
        /// Within the measured levels. An interval that ends at the lowest or highest level is cut there.
        case within(ClusteredEstimate)
        /// Below the lowest measured level, which is given.
        case below(Double)
        /// Above the highest measured level, which is given, or never.
        case above(Double)
    }

    package struct Point: Hashable, Sendable {
        package let level: Double
        package let recall: Proportion
    }

    /// The measured levels, rising; at least two.
    package let points: [Point]
    /// The fitted curve; nil if all or none succeeded.
    package let fit: PsychometricCurve?
    package let clusters: Int
    /// The successes of each cluster at each level.
    private let cells: [[PsychometricCurve.Level]]

    /// Fits trials in any order; nil with fewer than two levels.
    package init?(_ trials: some Sequence<(cluster: String, level: Double, success: Bool)>) {
        let all = Array(trials)
        let levels = Set(all.map(\.level)).sorted()
        guard levels.count >= 2 else { return nil }
        let members = Dictionary(grouping: all, by: \.level)
        points = levels.map { level in
            Point(
                level: level,
                recall: Proportion(clustered: (members[level] ?? []).map { ($0.cluster, $0.success) }))
        }
        let groups = Dictionary(grouping: all, by: \.cluster)
        cells = groups.keys.sorted().map { name in
            let own = Dictionary(grouping: groups[name] ?? [], by: \.level)
            return levels.map { level in
                let here = own[level] ?? []
                return .init(level, successes: Double(here.count { $0.success }), trials: Double(here.count))
            }
        }
        clusters = groups.count
        fit = PsychometricCurve(Self.summed(cells, [Int](repeating: 1, count: groups.count)))
    }

    /// The levels at which the fitted curve reaches `rates`, above 0 and below 1, with intervals.
    ///
    /// Each resample is fitted again. Levels outside the measured ones are not extrapolated.
    /// - Returns: one crossing for each rate; nil with fewer than two clusters.
    package func crossings(at rates: [Double], _ bootstrap: ClusterBootstrap) -> [Crossing?] {
        guard let lowest = points.first?.level, let highest = points.last?.level else { return [] }
        let estimates = bootstrap.estimates(clusters: clusters) { weights in
            let levels = Self.summed(cells, weights)
            // If all or none succeed in a resample, its crossing is at one end.
            let isAll = levels.allSatisfy { $0.successes == $0.trials }
            let isNone = levels.allSatisfy { $0.successes == 0 }
            let curve = isAll || isNone ? nil : PsychometricCurve(levels, near: fit)
            return rates.map { rate in
                if isAll { return lowest }
                if isNone { return highest }
                return curve.map { min(max($0.level(at: rate) ?? highest, lowest), highest) }
            }
        }
        return rates.enumerated().map { place, rate in
            guard let fit else {
                return points.allSatisfy { $0.recall.successes == 0 } ? .above(highest) : .below(lowest)
            }
            guard let level = fit.level(at: rate), level <= highest else { return .above(highest) }
            if level < lowest { return .below(lowest) }
            return estimates.indices.contains(place) ? estimates[place].map { .within($0) } : nil
        }
    }

    /// The weighted sum of the clusters' successes at each level.
    private static func summed(_ cells: [[PsychometricCurve.Level]], _ weights: [Int]) -> [PsychometricCurve
        .Level]
    {
        guard var sums = cells.first?.map({ PsychometricCurve.Level($0.level, successes: 0, trials: 0) })
        else { return [] }
        for (cluster, weight) in zip(cells, weights) where weight > 0 {
            for (index, cell) in cluster.enumerated() {
                sums[index].successes += Double(weight) * cell.successes
                sums[index].trials += Double(weight) * cell.trials
            }
        }
        return sums
    }
}
