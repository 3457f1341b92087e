import Metrics
import SystemIO

/// A run as a gate sees it: who was measured on what, and how each trial ended, cell by cell.
package struct MarkedRun: Sendable {
    /// What runs must share to be compared trial by trial, and who was measured.
    package struct Identity: Codable, Hashable, Sendable {
        /// The plan's name.
        package var plan: String
        /// The digest of what decides which trials there are (``Plan/panelDigest``).
        package var panelDigest: String
        /// The corpus's name.
        package var corpus: String
        /// The digest of the corpus's lock.
        package var corpusDigest: String
        /// The half that was enrolled.
        package var half: String
        /// The seed.
        package var seed: UInt64
        /// The contestant.
        package var matcher: String
        /// The version of its engine.
        package var version: String
        /// A digest of its answers to fixed queries.
        package var answersDigest: String
        /// The settings that were chosen, all of them.
        package var settings: [String: String]
        /// The commit of the sources.
        package var commit: String
        /// The model of the processor: samples and answers are the same to the last bit on one type only.
        package var processor: String
        /// The versions of what had a hand in the samples.
        package var libraries: [String: String]
    }

    /// The trials of a cell.
    package struct Cell: Sendable {
        /// What they share.
        package var key: CellScore.Key
        /// The group of conditions.
        package var group: ConditionGroup
        /// How each ended, in the order of the plan.
        package var trials: [Trial]
    }

    /// A trial that was marked.
    package struct Trial: Sendable {
        /// Its name in the plan.
        package var id: String
        /// The trials that are not independent of it.
        package var cluster: String
        /// Whether some reference contains the query.
        package var isPositive: Bool
        /// How it ended.
        package var mark: TrialMark
    }

    /// Where it comes from.
    package let identity: Identity
    /// In the order of the plan.
    package let cells: [Cell]

    /// Judges and marks the records of a run.
    ///
    /// - Throws: ``GateError`` for a run from before panels were noted, which cannot be compared.
    package init(records: [TrialRecord], facts: RunFacts, folder: String) throws {
        identity = Identity(
            plan: facts.planName, panelDigest: facts.panelDigest, corpus: facts.corpusName,
            corpusDigest: facts.corpusDigest, half: facts.half, seed: facts.seed,
            matcher: facts.matcher.name, version: facts.matcher.version,
            answersDigest: facts.matcher.digest, settings: facts.matcher.settings, commit: facts.commit,
            processor: facts.machine.processor, libraries: facts.toolVersions)
        let judged = records.map { JudgedTrial($0, threshold: facts.scoreThreshold) }
        let highest = ZeroFalseAcceptPoint(judged.filter { $0.outcome != nil }.map(\.scores))
            .highestWrongScore
        let scores = CellScore.cells(of: judged, highestWrongScore: highest)
        let members = Dictionary(grouping: judged) { CellScore.Key($0.record) }
        cells = scores.map { score in
            Cell(
                key: score.key, group: score.group,
                trials: (members[score.key] ?? []).map { trial in
                    Trial(
                        id: trial.record.trialID, cluster: trial.cluster, isPositive: trial.record.isPositive,
                        mark: TrialMark(trial, highestWrongScore: highest))
                })
        }
    }

    /// All trials, in the order of the plan's cells.
    package var trials: [Trial] { cells.flatMap(\.trials) }
}

/// A comparison that cannot be made, and why.
package struct GateError: Error, CustomStringConvertible, Sendable {
    /// What was found and what was expected.
    package let description: String

    /// Makes an error.
    package init(_ description: String) { self.description = description }
}

extension CellScore.Key {
    /// The cell in words: `pink noise -6 dB, 5 s`.
    package var words: String {
        [degradation, severity].filter { !$0.isEmpty }.joined(separator: " ")
            + ", \(formatNumber(lengthSeconds)) s"
    }
}
