import AudioCore
import Corpora
import Foundation
import Matchers
import Synchronization
import SystemIO

/// The instances of one contestant that a plan needs: one that knows all references, one for each fold left out.
package struct Catalogs: Sendable {
    /// The instance that knows all references.
    package let whole: any Matcher
    private let folds: [Int: any Matcher]
    /// By the fold that is left out, -1 where none is.
    private let keys: [Int: String]

    /// What enrolment took.
    package struct Cost {
        package var decodeSeconds = 0.0
        package var audioSeconds = 0.0
        /// Seconds in which the whole catalog was learnt, those of the folds excluded.
        package var enrolSeconds = 0.0
        /// Processor seconds of the same; nil where a matcher in another process does not say.
        package var processorSeconds: Double? = 0
        package var indexBytes: Int?
    }

    /// Makes an instance for each catalog of `plan`; none knows a reference yet.
    ///
    /// - Parameter identity: the digest of the contestant, for the keys of the cache.
    package init(of contestant: Contestant, identity: String, plan: Plan, recipe: QueryRecipe) throws {
        whole = try contestant.make()
        // A control is told the truth of each trial; its answers are not those to a query.
        if whole is any ControlMatcher {
            keys = [:]
        } else {
            keys = Dictionary(
                uniqueKeysWithValues: ([nil] + plan.folds.map(Optional.some)).map { fold in
                    let references = plan.references(leavingOut: fold)
                        .map { "\($0.id) \(recipe.content(of: $0.id))" }.sorted()
                    let text = ([identity] + references).joined(separator: "\n")
                    return (fold ?? -1, Digest.sha256(text))
                })
        }
        folds = Dictionary(
            uniqueKeysWithValues: try plan.folds.map { ($0, try contestant.make()) })
    }

    /// Makes one instance, for trials that leave no fold out; it knows no reference yet.
    package init(of contestant: Contestant) throws {
        whole = try contestant.make()
        folds = [:]
        keys = [:]
    }

    /// The instance that a trial is put to.
    package func matcher(leavingOut fold: Int?) -> any Matcher { fold.flatMap { folds[$0] } ?? whole }

    /// The digest of what the instance is and knows, for the cache; nil when its answers may not be kept.
    package func key(leavingOut fold: Int?) -> String? { keys[fold ?? -1] }

    /// Decodes every reference once and has each catalog that holds it learn it.
    package func enrol(_ plan: Plan, jobs: Int, progress: @escaping EvaluationRun.Progress) throws -> Cost {
        let members = Dictionary(
            uniqueKeysWithValues: folds.keys.map { fold in
                (fold, Set(plan.references(leavingOut: fold).map(\.id)))
            })
        return try enrol(
            plan.references(leavingOut: nil), of: plan.corpus, members: members, jobs: jobs,
            progress: progress)
    }

    /// Decodes each of `references` once and has the catalogs learn it: the whole one, and each fold's that
    /// has it among its members.
    package func enrol(
        _ references: [Track], of corpus: Corpus, members: [Int: Set<String>] = [:], jobs: Int,
        progress: @escaping EvaluationRun.Progress
    ) throws -> Cost {
        let clock = ContinuousClock()
        let state = Mutex((cost: Cost(), done: 0))
        teach(references, of: corpus)
        let remote = whole as? any RemoteMatcher
        let spent = remote?.processorSeconds
        _ = try ParallelMap.map(references.count, jobs: whole.enrolmentJobs(of: jobs)) { number in
            let track = references[number]
            let others = folds.filter { members[$0.key]?.contains(track.id) ?? false }.map(\.value)
            let start = clock.now
            let audio = try corpus.audio(of: track)
            let (decoded, processor) = (clock.now, ThreadClock.seconds)
            let (enrolled, processed) = try enrol(track.id, audio, into: others, at: clock)
            let count = state.withLock { state -> Int in
                state.cost.decodeSeconds += (decoded - start).seconds
                state.cost.enrolSeconds += (enrolled - decoded).seconds
                state.cost.processorSeconds? += processed - processor
                state.cost.audioSeconds += audio.durationSeconds
                state.done += 1
                return state.done
            }
            progress("references", count, references.count)
        }
        var cost = state.withLock { $0.cost }
        let (start, processor) = (clock.now, ProcessClock.seconds)
        cost.indexBytes = try whole.finishEnrolment()
        cost.enrolSeconds += (clock.now - start).seconds
        cost.processorSeconds? += ProcessClock.seconds - processor
        if let remote {
            cost.processorSeconds = remote.processorSeconds.flatMap { now in spent.map { now - $0 } }
        }
        for matcher in folds.values { _ = try matcher.finishEnrolment() }
        return cost
    }

    /// Tells matchers in other processes where references can be had again.
    private func teach(_ references: [Track], of corpus: Corpus) {
        let tracks = Dictionary(references.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for matcher in [whole] + folds.values {
            (matcher as? any RemoteMatcher)?.setReferenceSource { id in
                guard let track = tracks[id] else { throw MeasurementError("there is no reference \(id)") }
                return try corpus.audio(of: track)
            }
        }
    }

    /// What the whole catalog has cost so far.
    package func cost(enrolProcessorSeconds: Double?) -> RunFacts.Cost {
        let remote = whole as? any RemoteMatcher
        return RunFacts.Cost(
            enrolProcessorSeconds: enrolProcessorSeconds,
            peakMemoryBytes: remote.map(\.peakMemoryBytes) ?? ProcessMemory.peakBytes,
            peakIncludesJudge: remote == nil, restarts: remote?.restartCount ?? 0)
    }

    /// Returns when the whole catalog had learnt the reference, by the clock and by the thread's.
    private func enrol(
        _ id: String, _ audio: AudioBuffer, into others: [any Matcher], at clock: ContinuousClock
    ) throws -> (ContinuousClock.Instant, Double) {
        if let preparing = whole as? any PreparingMatcher {
            return try enrol(id, audio, preparing, into: others, at: clock)
        }
        try whole.enrol(id: id, audio: audio)
        let enrolled = (clock.now, ThreadClock.seconds)
        for matcher in others { try matcher.enrol(id: id, audio: audio) }
        return enrolled
    }

    private func enrol<M: PreparingMatcher>(
        _ id: String, _ audio: AudioBuffer, _ whole: M, into others: [any Matcher], at clock: ContinuousClock
    ) throws -> (ContinuousClock.Instant, Double) {
        let prepared = try whole.prepare(audio)
        whole.enrol(id: id, prepared: prepared)
        let enrolled = (clock.now, ThreadClock.seconds)
        // A contestant makes instances of one type; another one would learn from the audio.
        for matcher in others {
            if let matcher = matcher as? M {
                matcher.enrol(id: id, prepared: prepared)
            } else {
                try matcher.enrol(id: id, audio: audio)
            }
        }
        return enrolled
    }
}
