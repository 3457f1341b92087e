import Evaluation

/// The share of the differences between candidates that one setting alone explains.
///
/// It is the share of the variance of the candidates' ranks between ranges of the setting: a first-order sensitivity
/// index from given points (E. Plischke, E. Borgonovo and C. L. Smith, "Global sensitivity measures from given data",
/// European Journal of Operational Research 226(3), 2013). The correlation ratio has the bias correction of T. L.
/// Kelley, "An unbiased correlation ratio measure", PNAS 21(9), 1935. Ranks replace values because recalls crowd at
/// their ceiling. Interactions of settings are in none of the shares.
package struct SettingImportance: Codable, Hashable, Sendable {
    package let name: String
    /// Its share, 0…1.
    package let share: Double

    package static let fewestCandidates = 12

    /// The importance of each setting, greatest first; empty with too few candidates.
    ///
    /// - Parameters:
    ///   - names: The settings.
    ///   - points: The settings of each candidate in the unit cube, spread evenly.
    ///   - values: The result of each candidate.
    package static func of(names: [String], points: [[Double]], values: [Double]) -> [SettingImportance] {
        guard points.count >= fewestCandidates, Set(values).count > 1 else { return [] }
        let ranks = ranks(of: values)
        let bins = max(2, min(5, points.count / 6))
        return names.enumerated().map { dimension, name in
            let groups = Dictionary(grouping: points.indices) { index in
                min(bins - 1, Int(points[index][dimension] * Double(bins)))
            }
            return SettingImportance(name: name, share: share(of: ranks, in: groups.map(\.value)))
        }
        .sorted { ($0.share, $1.name) > ($1.share, $0.name) }
    }

    private static func share(of ranks: [Double], in groups: [[Int]]) -> Double {
        guard groups.count > 1, ranks.count > groups.count else { return 0 }
        let mean = ranks.reduce(0, +) / Double(ranks.count)
        let total = ranks.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        let between = groups.map { group -> Double in
            let own = group.reduce(0) { $0 + ranks[$1] } / Double(group.count)
            return Double(group.count) * (own - mean) * (own - mean)
        }
        // Groups come from a dictionary, and the sum must not depend on their order.
        let ratio = between.sorted().reduce(0, +) / total
        return max(0, 1 - (1 - ratio) * Double(ranks.count - 1) / Double(ranks.count - groups.count))
    }

    /// Ranks from 0, the mean of their ranks for equal values.
    private static func ranks(of values: [Double]) -> [Double] {
        values.map { value in
            Double(values.count { $0 < value }) + Double(values.count { $0 == value } - 1) / 2
        }
    }
}
