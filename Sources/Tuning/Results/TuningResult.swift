import Evaluation

/// What a search found.
public struct TuningResult: Codable, Hashable, Sendable {
    /// Where a candidate comes from.
    public enum Origin: String, Codable, Sendable {
        /// What the search started from.
        case start
        /// The settings as they are when nobody chooses.
        case standard
        /// A point of the quasi-random sequence.
        case sequence
        /// A step from the best candidate so far.
        case step
    }

    /// One choice of settings.
    public struct Candidate: Codable, Hashable, Sendable {
        /// Its number, from 0, in order of proposal.
        public let number: Int
        /// Where it comes from.
        public let origin: Origin
        /// Its settings: all that are searched, and others that the start chose.
        public let settings: [String: Double]
        /// What it achieved on the trials of each rung that it reached.
        public internal(set) var rungs: [Objectives] = []
        /// Why it has no figures, when it failed.
        public internal(set) var failure: String?
        /// Whether no candidate that reached the last rung is better in one objective and worse in none.
        public internal(set) var isOnFront = false
    }

    /// The name of the matcher.
    public let matcher: String
    /// The name of the plan.
    public let plan: String
    /// Its digest.
    public let planDigest: String
    /// The corpus.
    public let corpus: String
    /// The half that was searched on.
    public let half: CorpusHalf
    /// The seed of the search.
    public let seed: UInt64
    /// The settings that were searched.
    public let searched: [TunableSetting]
    /// The number of trials of each rung.
    public let rungTrials: [Int]
    /// All candidates, by number.
    public internal(set) var candidates: [Candidate]
    /// The number of the candidate with the best recall at zero false accepts on all trials.
    public internal(set) var winner: Int
    /// How much each setting matters, greatest first.
    public internal(set) var importance: [SettingImportance] = []
    /// Seconds spent on measuring candidates.
    public internal(set) var seconds = 0.0
    /// The look at the held-out half, when there was one.
    public var heldOut: HeldOutCheck?

    /// The candidates that were measured on all trials, best first.
    public var finalists: [Candidate] {
        candidates.filter { $0.rungs.count == rungTrials.count }.sorted { one, other in
            guard let a = one.rungs.last, let b = other.rungs.last else { return false }
            return a.isBetter(than: b) || (!b.isBetter(than: a) && one.number < other.number)
        }
    }

    /// The candidate that won.
    public var best: Candidate { candidates[winner] }

    /// The settings as arguments of a command line: those that are not standard, and those that differ from the start.
    public func arguments(for settings: [String: Double]) -> [String] {
        let standards = Dictionary(uniqueKeysWithValues: searched.map { ($0.name, $0.standard) })
        return settings.sorted { $0.key < $1.key }.filter { standards[$0.key] != $0.value }
            .map { "--set \($0.key)=\(Self.text($0.value))" }
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
