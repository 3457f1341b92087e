import ArgumentParser
import AudioCore
import Corpora
import Evaluation
import Matchers
import Studies

/// A finished run whose trials can be made again: an evaluation, or a search for limits.
struct FailedRun {
    /// The plan and the matcher.
    let key: TrialStore.RunKey
    /// Where its figures come from.
    let facts: RunFacts
    /// The corpus.
    let corpus: Corpus
    /// Recordings to mix in.
    let material: CorpusMaterial
    private let folder: String
    private let records: [TrialRecord]
    private let makeTrial: (String) throws -> Trial?
    /// The failing trials, worst first, at most so many.
    private let failing: (Int) throws -> [TrialRecord]
    /// The frame of its recording at which a trial begins.
    let start: @Sendable (Trial, AudioBuffer) throws -> Int

    /// Opens a run and the plan it was of.
    ///
    /// - Throws: `StoreError` when there is no finished run, or the plan or corpus has changed since.
    init(folder: String, corpora: String?) throws {
        self.folder = folder
        let digest: String
        if FrontierFolder.isOne(folder) {
            let opened = try FrontierFolder(path: folder)
            (key, facts) = try opened.onlySearch()
            records = try opened.store.records(of: key)
            var options = try FrontierOptions.parse(RunOptions.words(of: facts.planArguments))
            options.corpora = corpora
            let (plan, material) = try options.open()
            (digest, corpus, self.material) = (plan.base.digest, plan.base.corpus, material)
            makeTrial = plan.trial(named:)
            start = plan.start(of:in:)
            let (records, facts) = (self.records, self.facts)
            failing = { count in
                let known = Dictionary(records.map { ($0.trialID, $0) }, uniquingKeysWith: { $1 })
                return FailingTrials.worst(count, of: try plan.result(of: known, facts: facts))
            }
        } else {
            let run = try RunFolder(existing: folder).onlyRun()
            (records, facts) = run
            key = TrialStore.RunKey(plan: run.facts.planDigest, matcher: run.facts.matcher.digest)
            var options = try PlanOptions.parse(RunOptions.words(of: facts.planArguments))
            options.corpora = corpora
            guard options.recorded.queries == nil else {
                throw StoreError(
                    path: folder,
                    message: "is a run of recorded queries, of which no degradation can be taken away")
            }
            let (plan, material, _) = try options.open()
            (digest, corpus, self.material) = (plan.digest, plan.corpus, material)
            makeTrial = { plan.trial(named: $0) }
            start = { try $0.drawStart(in: $1).frame }
            let records = records.filter { $0.fold == nil && $0.source != "silence" }
            failing = { FailingTrials.worst($0, of: records) }
        }
        guard digest == facts.planDigest else {
            throw StoreError(
                path: folder,
                message: "is a run of another plan than \(facts.planArguments) chooses now "
                    + "(\(facts.planDigest.prefix(12)), now \(digest.prefix(12))): plan, corpus or noise has changed "
                    + "since; run it again")
        }
    }

    /// Throws unless the contestant is who the run was of.
    func requireMatcher(_ contestant: Contestant) throws {
        let digest = try contestant.digest()
        guard digest == key.matcher else {
            throw StoreError(
                path: folder,
                message: "is a run of \(facts.matcher.name) \(facts.matcher.version) that answered otherwise "
                    + "(\(key.matcher.prefix(12)), now \(digest.prefix(12))); give --matcher and --set as then, "
                    + "or run it again")
        }
    }

    /// The trial called `id`.
    func trial(named id: String) throws -> Trial {
        guard records.contains(where: { $0.trialID == id }), let trial = try makeTrial(id) else {
            throw StoreError(path: folder, message: "the run has no trial called \(id)")
        }
        return trial
    }

    /// The worst failing trials, at most `count`.
    func worst(_ count: Int) throws -> [Trial] {
        let worst = try failing(count)
        if worst.isEmpty { throw StoreError(path: folder, message: "holds no failing trial to minimise") }
        return try worst.map { try trial(named: $0.trialID) }
    }
}
