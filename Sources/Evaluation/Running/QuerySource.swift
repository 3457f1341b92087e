import AudioCore
import Degradations

/// Makes the queries of a plan, or takes them from the cache.
package struct QuerySource: Sendable {
    package let recordings: RecordingCache
    package let material: any Material
    package let recipe: QueryRecipe
    /// If nil, every query is rendered.
    package let cache: TrialCache?

    package init(
        recordings: RecordingCache, material: any Material, recipe: QueryRecipe, cache: TrialCache? = nil
    ) {
        self.recordings = recordings
        self.material = material
        self.recipe = recipe
        self.cache = cache
    }

    /// The facts of a trial's query, and its samples if this call rendered them.
    ///
    /// - Throws: ``TrialError`` if it cannot be made.
    package func query(of trial: Trial) throws -> (facts: QueryFacts, audio: AudioBuffer?) {
        guard let cache, let digest = try recipe.digest(of: trial) else {
            let query = try render(trial)
            return (QueryFacts(query), query.audio)
        }
        switch cache.query(recipe: digest) {
        case .facts(let facts): return (facts, nil)
        case .notOffered(let reason): throw TrialError(.notOffered, reason)
        case .none: break
        }
        do {
            let query = try render(trial)
            let facts = QueryFacts(query)
            cache.keep(.success(facts), recipe: digest)
            cache.archive.keep(query.audio, digest: facts.digest)
            return (facts, query.audio)
        } catch let error as TrialError where error.cause == .notOffered {
            cache.keep(.failure(error), recipe: digest)
            throw error
        }
    }

    /// Whether the query of a trial is cut from its source, because the cache does not know it.
    package func mustRender(_ trial: Trial) -> Bool {
        guard trial.recorded == nil else { return false }
        // A trial whose digest cannot be made reports the reason itself.
        guard let cache, let digest = try? recipe.digest(of: trial) else { return true }
        return cache.query(recipe: digest) == .none
    }

    /// The samples of a query whose facts are known.
    ///
    /// - Throws: ``StoreError`` if the rendered samples do not match the facts.
    package func audio(of trial: Trial, _ facts: QueryFacts) throws -> AudioBuffer {
        if let audio = cache?.archive.audio(of: facts) { return audio }
        let query = try render(trial)
        guard query.digest == facts.digest else {
            throw StoreError(
                path: trial.id,
                message: "the query now has other samples (\(query.digest.prefix(12))) than when it was kept "
                    + "(\(facts.digest.prefix(12)))", kind: .staleQuery)
        }
        cache?.archive.keep(query.audio, digest: facts.digest)
        return query.audio
    }

    /// Makes a query without the cache.
    func render(_ trial: Trial) throws -> RenderedQuery {
        let recording = try trial.cutSource.map { try recordings.recording($0) }
        return try TrialError.making { try trial.render(from: recording, material: material) }
    }
}
