import AudioCore
import Corpora
import Evaluation
import Matchers

/// A finished run whose failing trials can be minimised: an evaluation, or a frontier search.
package struct FailedRun: Sendable {
    package let key: TrialStore.RunKey
    package let facts: RunFacts
    package let corpus: Corpus
    package let material: CorpusMaterial
    private let folder: String
    private let records: [TrialRecord]
    private let makeTrial: @Sendable (String) throws -> Trial?
    /// The failing trials, worst first, at most this many.
    private let failing: @Sendable (Int) throws -> [TrialRecord]
    package let start: @Sendable (Trial, AudioBuffer) throws -> Int

    /// - Throws: `StoreError` when there is no finished run, or the plan or corpus has changed since.
    package init(folder: String, library: CorpusLibrary) throws {
        self.folder = folder
        let digest: String
        let opened = try RunFolder(existing: folder)
        if try opened.holdsStudies {
            (facts, records) = try FrontierResult.stored(in: opened)
            try Self.refuseRecorded(facts, in: folder)
            let (plan, material) = try facts.request.openFrontier(in: library)
            (digest, corpus, self.material) = (plan.base.digest, plan.base.corpus, material)
            makeTrial = plan.trial(named:)
            start = plan.start(of:in:)
            let (records, facts) = (self.records, self.facts)
            failing = { Self.worst($0, of: try plan.result(of: records, facts: facts)) }
        } else {
            (records, facts) = try opened.onlyRun()
            try Self.refuseRecorded(facts, in: folder)
            let request = try facts.request.open(in: library)
            let plan = request.plan
            (digest, corpus, material) = (plan.digest, plan.corpus, request.material)
            makeTrial = { plan.trial(named: $0) }
            start = { try $0.drawStart(in: $1).frame }
            let records = records.filter { $0.trial.fold == nil && $0.trial.source != "silence" }
            failing = { Self.worst($0, of: records) }
        }
        key = TrialStore.RunKey(plan: facts.planDigest, matcher: facts.matcher.digest)
        guard digest == facts.planDigest else {
            throw StoreError(
                path: folder,
                message: "plan, corpus or noise has changed since the run "
                    + "(\(facts.planDigest.prefix(12)), now \(digest.prefix(12))); run it again")
        }
    }

    private static func refuseRecorded(_ facts: RunFacts, in folder: String) throws {
        guard facts.request.recorded == nil else {
            throw StoreError(
                path: folder, message: "is a run of recorded queries, which are not cut from a recording")
        }
    }

    package func requireMatcher(_ contestant: Contestant) throws {
        let digest = try contestant.answersDigest()
        guard digest == key.matcher else {
            throw ChangedMatcher(
                folder: folder, name: facts.matcher.name, version: facts.matcher.version,
                stored: key.matcher, found: digest)
        }
    }

    package func trial(named id: String) throws -> Trial {
        guard records.contains(where: { $0.trial.id == id }), let trial = try makeTrial(id) else {
            let near = records.map(\.trial.id).suggestion(for: id)
            throw StoreError(path: folder, message: "the run has no trial called \(id)\(near)")
        }
        return trial
    }

    package func worst(_ count: Int) throws -> [Trial] {
        let worst = try failing(count)
        if worst.isEmpty { throw StoreError(path: folder, message: "holds no failing trial to minimise") }
        return try worst.map { try trial(named: $0.trial.id) }
    }
}

/// A run was made with a matcher that answered differently from the chosen one.
package struct ChangedMatcher: Error, CustomStringConvertible, Sendable {
    package let folder: String
    package let name: String
    package let version: String
    package let stored: String
    package let found: String

    package var description: String {
        "\(folder): the run measured \(name) \(version), which answered differently "
            + "(\(stored.prefix(12)), now \(found.prefix(12)))"
    }
}

extension FailedRun {
    /// At most `count` failing trials, the worst first.
    ///
    /// The worst are answers that name the wrong recording, highest score first. Misses follow, those first in which
    /// the right recording has the lowest score. Failed trials say nothing about the contestant and are left out.
    private static func worst(_ count: Int, of records: [TrialRecord]) -> [TrialRecord] {
        let failing = records.filter { $0.error == nil }.map { JudgedTrial($0, threshold: nil) }
            .filter { $0.outcome?.isRight == false }
        return failing.sorted { rank($0) < rank($1) }.prefix(count).map(\.record)
    }

    /// At most `count` of the trials at which queries were lost for good along an axis, the mildest first.
    ///
    /// The rung on the axis decides which is milder.
    private static func worst(_ count: Int, of result: FrontierResult) -> [TrialRecord] {
        let lost = result.limits.compactMap { limit -> (place: Double, record: TrialRecord)? in
            guard let rung = limit.finding.firstLost, let record = limit.trials[rung]?.record,
                record.error == nil
            else { return nil }
            return (Double(rung) / Double(limit.finding.rungs - 1), record)
        }
        return lost.sorted { ($0.place, $0.record.trial.index) < ($1.place, $1.record.trial.index) }
            .prefix(count).map(\.record)
    }

    private static func rank(_ trial: JudgedTrial) -> (Int, Double, Int) {
        if let claim = trial.claim { return (0, -claim.score, trial.record.trial.index) }
        let right = trial.rightRank.map { trial.record.candidates[$0 - 1].score }
        return (1, right ?? -.infinity, trial.record.trial.index)
    }
}
