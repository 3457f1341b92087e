import Corpora
import Foundation
import Matchers
import SystemIO

/// The instances of one contestant in a run: one with all references, and one for each negative fold.
package struct Enrolment: Sendable {
    package let whole: any Matcher
    private let folds: [Int: any Matcher]
    /// What decides the answers of each instance, by fold; −1 for the instance with all references.
    private let keys: [Int: String]

    /// Makes instances for a plan; the cache may keep their answers between runs.
    ///
    /// - Parameter identity: the contestant's digest.
    package init(of contestant: Contestant, identity: String, plan: Plan) throws {
        whole = try contestant.make()
        // A control receives the truth of each trial, so its answers depend on more than the query.
        if whole.powers.control != nil {
            keys = [:]
        } else {
            keys = Dictionary(
                uniqueKeysWithValues: ([nil] + plan.folds.map(Optional.some)).map { fold in
                    let references = plan.references(leavingOut: fold)
                        .map { "\($0.id) \(plan.recipe.content(of: $0.id))" }.sorted()
                    let text = ([identity, QueryRecipe.libraries] + references).joined(separator: "\n")
                    return (fold ?? -1, Digest.sha256(text))
                })
        }
        folds = Dictionary(
            uniqueKeysWithValues: try plan.folds.map { ($0, try contestant.make()) })
    }

    /// Makes instances whose answers are not cached.
    package init(of contestant: Contestant, folds: Set<Int> = []) throws {
        whole = try contestant.make()
        self.folds = Dictionary(uniqueKeysWithValues: try folds.map { ($0, try contestant.make()) })
        keys = [:]
    }

    /// The instance that answers the trials of `fold`.
    package func matcher(leavingOut fold: Int?) -> any Matcher { fold.flatMap { folds[$0] } ?? whole }

    /// The cache key of the instance's answers; nil if they are not kept.
    package func key(leavingOut fold: Int?) -> String? { keys[fold ?? -1] }

    /// Enrols the references of a plan, each instance without those of its fold, then finishes.
    package func enrol(
        _ plan: Plan, from prepared: PreparedReferences,
        progress: @escaping EvaluationRun.Progress = { _, _, _ in }
    ) throws -> PreparedReferences.Cost {
        try enrol(
            plan.references(leavingOut: nil), from: prepared,
            members: Dictionary(
                uniqueKeysWithValues: folds.keys.map { fold in
                    (fold, Set(plan.references(leavingOut: fold).map(\.id)))
                }),
            progress: progress)
    }

    /// Enrols references, then finishes.
    ///
    /// - Parameters:
    ///   - members: the ids in each fold's instance.
    ///   - fill: adds to the instance with all references before its enrolment is finished.
    package func enrol(
        _ references: [Track], from prepared: PreparedReferences, members: [Int: Set<String>] = [:],
        progress: @escaping EvaluationRun.Progress, fill: (any Matcher) throws -> Void = { _ in }
    ) throws -> PreparedReferences.Cost {
        let remote = whole.powers.remote
        let spent = remote?.processorSeconds
        var cost = try prepared.enrol(
            references, into: [(whole, nil)] + folds.map { ($1, members[$0] ?? []) },
            progress: { progress("references", $0, references.count) })
        try fill(whole)
        let clock = ContinuousClock()
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

    /// The contestant's cost so far, apart from elapsed time.
    package func cost(enrolProcessorSeconds: Double?) -> RunFacts.Cost {
        let remote = whole.powers.remote
        return RunFacts.Cost(
            enrolProcessorSeconds: enrolProcessorSeconds,
            peakMemoryBytes: remote.map(\.peakMemoryBytes) ?? ProcessMemory.peakBytes,
            peakIncludesJudge: remote == nil, restarts: remote?.restartCount ?? 0)
    }
}
