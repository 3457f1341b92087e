import AudioCore
import Corpora
import Evaluation
import Matchers

/// A finished run whose failing trials can be minimised: an evaluation, or a frontier search.
package struct FailedRun {
    package let key: TrialStore.RunKey
    package let facts: RunFacts
    package let corpus: Corpus
    package let material: CorpusMaterial
    private let folder: String
    private let records: [TrialRecord]
    private let makeTrial: (String) throws -> Trial?
    /// The failing trials, worst first, at most this many.
    private let failing: (Int) throws -> [TrialRecord]
    /// The frame of its recording at which a trial begins.
    package let start: @Sendable (Trial, AudioBuffer) throws -> Int

    /// Opens a run and the plan it was of.
    ///
    /// - Throws: `StoreError` when there is no finished run, or the plan or corpus has changed since.
    package init(folder: String, library: CorpusLibrary) throws {
        self.folder = folder
        let digest: String
        if FrontierFolder.isOne(folder) {
            let opened = try FrontierFolder(path: folder)
            (key, facts) = try opened.onlySearch()
            records = try opened.store.records(of: key)
            let (plan, material) = try facts.request.openFrontier(in: library)
            (digest, corpus, self.material) = (plan.base.digest, plan.base.corpus, material)
            makeTrial = plan.trial(named:)
            start = plan.start(of:in:)
            let (records, facts) = (self.records, self.facts)
            failing = { count in
                let known = Dictionary(records.map { ($0.trial.id, $0) }, uniquingKeysWith: { $1 })
                return FailingTrials.worst(count, of: try plan.result(of: known, facts: facts))
            }
        } else {
            (records, facts) = try RunFolder(existing: folder).onlyRun()
            key = TrialStore.RunKey(plan: facts.planDigest, matcher: facts.matcher.digest)
            guard facts.request.recorded == nil else {
                throw StoreError(
                    path: folder, message: "is a run of recorded queries, which have no degradation to reduce"
                )
            }
            let opened = try facts.request.open(in: library)
            let plan = opened.plan
            (digest, corpus, material) = (plan.digest, plan.corpus, opened.material)
            makeTrial = { plan.trial(named: $0) }
            start = { try $0.drawStart(in: $1).frame }
            let records = records.filter { $0.trial.fold == nil && $0.trial.source != "silence" }
            failing = { FailingTrials.worst($0, of: records) }
        }
        guard digest == facts.planDigest else {
            throw StoreError(
                path: folder,
                message: "plan, corpus or noise has changed since the run "
                    + "(\(facts.planDigest.prefix(12)), now \(digest.prefix(12))); run it again")
        }
    }

    /// Throws unless the contestant is the one the run measured.
    package func requireMatcher(_ contestant: Contestant) throws {
        let digest = try contestant.digest()
        guard digest == key.matcher else {
            throw ChangedMatcher(
                folder: folder, name: facts.matcher.name, version: facts.matcher.version,
                stored: key.matcher, found: digest)
        }
    }

    package func trial(named id: String) throws -> Trial {
        guard records.contains(where: { $0.trial.id == id }), let trial = try makeTrial(id) else {
            throw StoreError(path: folder, message: "the run has no trial called \(id)")
        }
        return trial
    }

    /// The worst failing trials, at most `count`.
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
    /// The digest of the run's matcher.
    package let stored: String
    /// The digest of the chosen one.
    package let found: String

    package var description: String {
        "\(folder): the run measured \(name) \(version), which answered differently "
            + "(\(stored.prefix(12)), now \(found.prefix(12)))"
    }
}
