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
    package let goals: TuningGoals
    package let searched: [TunableSetting]
    package let rungTrials: [Int]
    package internal(set) var candidates: [Candidate]
    /// The number of the candidate that the goals prefer on all trials.
    package internal(set) var winner: Int
    package internal(set) var importance: [SettingImportance] = []
    package internal(set) var seconds = 0.0
    package var heldOut: HeldOutCheck?
    package internal(set) var provenance: Provenance?

    package var finalists: [Candidate] {
        candidates.filter { $0.rungs.count == rungTrials.count }.sorted { one, other in
            guard let a = one.rungs.last, let b = other.rungs.last else { return false }
            return goals.prefers(a, to: b) || (!goals.prefers(b, to: a) && one.number < other.number)
        }
    }

    package var best: Candidate { candidates[winner] }

    /// The settings that are not standard, or differ from the start, as `name=value`.
    package func choices(in settings: [String: Double]) -> [String] {
        let known = Dictionary(uniqueKeysWithValues: searched.map { ($0.name, $0) })
        return settings.sorted { $0.key < $1.key }.filter { known[$0.key]?.standard != $0.value }
            .map { "\($0.key)=\(text(of: $0.value, for: $0.key))" }
    }

    /// The value of a setting as `--set` takes it.
    package func text(of value: Double, for name: String) -> String {
        searched.first { $0.name == name }?.text(of: value) ?? "\(value)"
    }

    /// Whether the best settings are within all limits of cost.
    package var keepsLimits: Bool {
        best.rungs.last.map { goals.excess(of: $0) == 0 } ?? false
    }

    /// What the negatives show of the limit of false accepts, at the best settings; nil without a limit above 0.
    package var evidence: ThresholdTable.Evidence? {
        guard let wanted = goals.falseAcceptShare, let best = best.rungs.last,
            let bound = best.falseAcceptBound
        else { return nil }
        return ThresholdTable.Evidence(
            wanted: wanted, confidence: TuningGoals.confidence, isBound: true,
            falseAccepts: best.falseAccepts,
            bound: bound)
    }

    /// Whether all settings gave the same figures, so that the matcher may not use them.
    package var isIndifferent: Bool {
        let reached = finalists.compactMap(\.rungs.last).map {
            [$0.recall, $0.rightTopShare, $0.highestWrongScore ?? 0, Double($0.indexBytes ?? 0)]
        }
        return reached.count > 2 && Set(reached).count == 1
    }

    /// The gains of the best settings over the start on both halves; nil without a look at the other half.
    ///
    /// The best of many candidates is also the luckiest on the half that chose it. The difference of the gains is what that
    /// flatters.
    package var gains: (searched: Double, heldOut: Double)? {
        guard let heldOut, let best = best.rungs.last, let start = candidates.first?.rungs.last else {
            return nil
        }
        return (best.recall - start.recall, heldOut.againstStart.difference)
    }

    mutating func markFront() {
        let finalists = finalists
        for candidate in finalists {
            guard let mine = candidate.rungs.last else { continue }
            candidates[candidate.number].isOnFront = !finalists.contains {
                $0.rungs.last.map { goals.dominates($0, mine) } ?? false
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
    /// The mean recall of candidates by the value of the setting, by rising value.
    package let curve: [Point]

    /// The candidates with values in one part of the range.
    package struct Point: Codable, Hashable, Sendable {
        /// The middle one of their values.
        package let value: Double
        package let recall: Double
        package let candidates: Int
    }

    package static let fewestCandidates = 12

    /// Greatest first; empty with too few candidates.
    ///
    /// - Parameters:
    ///   - settings: Those of each candidate, spread evenly over the ranges of `tunables`.
    ///   - values: The recall of each candidate.
    package static func of(
        _ tunables: [TunableSetting], settings: [[String: Double]], values: [Double]
    ) -> [SettingImportance] {
        guard settings.count >= fewestCandidates, Set(values).count > 1 else { return [] }
        let ranks = ranks(of: values)
        return tunables.map { tunable in
            let bins = max(2, min(5, settings.count / 6, tunable.valueCount ?? .max))
            let own = settings.map { $0[tunable.name] ?? tunable.standard }
            let groups = Dictionary(grouping: settings.indices) { index in
                min(bins - 1, Int(bounded: tunable.position(of: own[index]) * Double(bins)))
            }.sorted { $0.key < $1.key }.map(\.value)
            let curve = groups.map { group in
                Point(
                    value: group.map { own[$0] }.sorted()[group.count / 2],
                    recall: group.reduce(0) { $0 + values[$1] } / Double(group.count), candidates: group.count
                )
            }
            return SettingImportance(name: tunable.name, share: share(of: ranks, in: groups), curve: curve)
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
