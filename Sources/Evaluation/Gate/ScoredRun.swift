import Degradations
import Metrics
import SystemIO

/// A run as a gate reads it: its identity, and the result of each trial, cell by cell.
public struct ScoredRun: Sendable {
    /// The values that runs must share to be compared trial by trial, and the contestant.
    package struct Identity: Codable, Hashable, Sendable {
        package var plan: String
        /// Covers the choice of trials (``Plan/panelDigest``).
        package var panelDigest: String
        package var corpus: String
        package var corpusDigest: String
        package var half: String
        package var seed: UInt64
        package var matcher: String
        package var version: String
        package var answersDigest: String
        package var settings: [String: String]
        package var commit: String
        /// The model of the processor.
        ///
        /// Samples and answers are equal to the last bit on one model only.
        package var processor: String
        /// The versions of the libraries and tools that make the samples.
        package var libraries: [String: String]
        package var machine: RunFacts.Machine
        /// What the user asked for.
        package var request: RunRequest
        /// The start in ISO 8601 with a time zone.
        package var startedAt: String
        /// The number of answers taken from the cache; nil if unknown.
        package var cachedAnswers: Int?
        /// When each pass over the timed queries began, in seconds since 1970, rising; nil in a baseline of a version that
        /// stored none.
        package var passStarts: [Double]?
    }

    package struct Cell: Sendable {
        package var key: CellScore.Key
        package var group: ConditionGroup
        /// SHA-256 over the identities of its queries, in hexadecimal (``Plan/queries``).
        package var queryDigest: String
        /// What decides the queries, part by part; nil if it was not stored.
        package var queryParts: [String: String]?
        package var trials: [Trial]

        /// The positives, then the negatives: the order of a baseline.
        package var ordered: [Trial] {
            trials.filter(\.isPositive) + trials.filter { !$0.isPositive }
        }

        package init(
            key: CellScore.Key, group: ConditionGroup, queryDigest: String = "",
            queryParts: [String: String]? = nil, trials: [Trial]
        ) {
            self.key = key
            self.group = group
            self.queryDigest = queryDigest
            self.queryParts = queryParts
            self.trials = trials
        }
    }

    package struct Trial: Sendable {
        package var id: String
        package var cluster: String
        /// The name of the recording that the query is of.
        package var recording: String
        package var isPositive: Bool
        package var result: TrialResult
        /// The digest of its query, truth and catalog (``Plan/trialDigests``); nil if it was not stored.
        package var digest: String?

        package init(
            id: String, cluster: String, recording: String, isPositive: Bool, result: TrialResult,
            digest: String? = nil
        ) {
            self.digest = digest
            self.id = id
            self.cluster = cluster
            self.recording = recording
            self.isPositive = isPositive
            self.result = result
        }
    }

    package let identity: Identity
    package let cells: [Cell]

    package init(identity: Identity, cells: [Cell]) {
        self.identity = identity
        self.cells = cells
    }

    /// Scores the records of a run.
    ///
    /// - Throws: ``GateError`` for a run of a version that stored no panel digest.
    public init(records: [TrialRecord], facts: RunFacts, folder: String) throws {
        let starts = Set(records.flatMap { $0.latency?.passes.compactMap(\.startedAt) ?? [] }).sorted()
        identity = Identity(
            plan: facts.planName, panelDigest: facts.panelDigest, corpus: facts.corpusName,
            corpusDigest: facts.corpusDigest, half: facts.half.rawValue, seed: facts.seed,
            matcher: facts.matcher.name, version: facts.matcher.version,
            answersDigest: facts.matcher.digest, settings: facts.matcher.settings, commit: facts.commit,
            processor: facts.machine.processor, libraries: facts.toolVersions,
            machine: facts.machine, request: facts.request, startedAt: facts.startedAt,
            cachedAnswers: facts.cachedAnswers,
            passStarts: starts)
        let judged = records.map { JudgedTrial($0, threshold: facts.scoreThreshold) }
        let highest = ZeroFalseAcceptPoint(judged.compactMap(\.evidence)).highestWrongScore
        let scores = CellScore.cells(of: judged, highestWrongScore: highest)
        let digests = facts.trialDigests ?? []
        let distinct = Set(JudgedTrial.distinct(judged).map(\.record.trial.id))
        let members = Dictionary(grouping: judged) { CellScore.Key($0.record) }
        cells = scores.map { score in
            let trials = members[score.key] ?? []
            let slug = trials.first?.record.trial.cell.slug ?? ""
            return Cell(
                key: score.key, group: score.group, queryDigest: facts.queryDigests[slug] ?? "",
                queryParts: facts.queryParts?[slug],
                trials: trials.map { trial in
                    Trial(
                        id: trial.record.trial.id, cluster: trial.cluster,
                        recording: trial.record.trial.source, isPositive: trial.record.trial.isPositive,
                        result: TrialResult(
                            trial, highestWrongScore: highest,
                            isRepeat: !distinct.contains(trial.record.trial.id), passStarts: starts),
                        digest: digests.indices.contains(trial.record.trial.index)
                            ? digests[trial.record.trial.index] : nil)
                })
        }
    }

    package var trials: [Trial] { cells.flatMap(\.trials) }
}

package struct GateError: Error, CustomStringConvertible, Sendable {
    package let description: String
    package let kind: Kind?

    package enum Kind: Sendable {
        /// The runs have other queries, so nothing can be said of their matchers.
        case otherQueries
        /// A version before 0.1.0 wrote the baseline.
        case earlierFormat
    }

    package init(_ description: String, kind: Kind? = nil) {
        self.description = description
        self.kind = kind
    }
}

extension CellScore.Key {
    /// The cell in words: `pink noise -6 dB, 5 s`.
    public var words: String {
        [degradation, severity].filter { !$0.isEmpty }.joined(separator: " ")
            + ", \(formatNumber(lengthSeconds)) s"
    }
}
