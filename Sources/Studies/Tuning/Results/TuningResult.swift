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
        /// The objectives at each rung that it reached.
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
    /// The importance of the settings, greatest first.
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
