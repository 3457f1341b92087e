import AudioCore
import Corpora
import Evaluation
import Matchers

package struct TuningResult: Codable, Hashable, Sendable {
    package enum Origin: String, Codable, Sendable {
        case start
        case standard
        case sequence
        case step
    }

    package struct Candidate: Codable, Hashable, Sendable {
        /// Its number, from 0, in order of proposal.
        package let number: Int
        package let origin: Origin
        /// All searched settings, and others that the start chose.
        package let settings: [String: Double]
        package internal(set) var rungs: [Objectives] = []
        package internal(set) var failure: String?
        /// Whether no candidate that reached the last rung is better in one objective and worse in none.
        package internal(set) var isOnFront = false
    }

    package let matcher: String
    package let plan: String
    package let planDigest: String
    package let corpus: String
    package let half: CorpusHalf
    package let seed: UInt64
    package let searched: [TunableSetting]
    package let rungTrials: [Int]
    package internal(set) var candidates: [Candidate]
    /// The number of the candidate with the best recall at zero false accepts on all trials.
    package internal(set) var winner: Int
    package internal(set) var importance: [SettingImportance] = []
    package internal(set) var seconds = 0.0
    package var heldOut: HeldOutCheck?
    package internal(set) var provenance: Provenance?

    package var finalists: [Candidate] {
        candidates.filter { $0.rungs.count == rungTrials.count }.sorted { one, other in
            guard let a = one.rungs.last, let b = other.rungs.last else { return false }
            return a.isBetter(than: b) || (!b.isBetter(than: a) && one.number < other.number)
        }
    }

    package var best: Candidate { candidates[winner] }

    /// The settings that are not standard, or differ from the start, as `name=value`.
    package func choices(in settings: [String: Double]) -> [String] {
        let standards = Dictionary(uniqueKeysWithValues: searched.map { ($0.name, $0.standard) })
        return settings.sorted { $0.key < $1.key }.filter { standards[$0.key] != $0.value }
            .map { "\($0.key)=\(Self.text($0.value))" }
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }

    mutating func markFront() {
        let finalists = finalists
        for candidate in finalists {
            guard let mine = candidate.rungs.last else { continue }
            candidates[candidate.number].isOnFront = !finalists.contains {
                $0.rungs.last?.dominates(mine) ?? false
            }
        }
    }
}

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

    /// Greatest first; empty with too few candidates.
    ///
    /// - Parameter points: the settings of each candidate in the unit cube, spread evenly.
    package static func of(names: [String], points: [[Double]], values: [Double]) -> [SettingImportance] {
        guard points.count >= fewestCandidates, Set(values).count > 1 else { return [] }
        let ranks = ranks(of: values)
        let bins = max(2, min(5, points.count / 6))
        return names.enumerated().map { dimension, name in
            let groups = Dictionary(grouping: points.indices) { index in
                min(bins - 1, Int(bounded: points[index][dimension] * Double(bins)))
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
