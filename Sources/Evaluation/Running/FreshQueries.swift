import AudioCore
import Degradations

/// Cuts that a matcher was never asked, made of trials that it was asked.
struct FreshQueries: Sendable {
    let queries: QuerySource

    /// The query of a trial, begun 45 to 450 ms earlier or later where the source has 44.1 kHz.
    ///
    /// A query that fills its source, or has a file of its own, loses up to 2 % of its begin instead.
    ///
    /// - Parameters:
    ///   - facts: Of the trial's own query.
    ///   - number: Other numbers make other cuts; every matcher gets the same.
    /// - Throws: ``TrialError`` if the query cannot be made.
    func near(_ trial: Trial, _ facts: QueryFacts, number: Int) throws -> AudioBuffer {
        var generator = SeededGenerator(seed: trial.startSeed, "near", "\(number)")
        let shift = (2_000 + generator.index(below: 18_000)) * (generator.index(below: 2) == 0 ? 1 : -1)
        if trial.cutSource != nil, trial.startFrame == nil {
            for shift in [shift, -shift] {
                var moved = trial
                moved.startShiftFrames += shift
                do {
                    let query = try queries.query(of: moved)
                    guard query.facts.digest != facts.digest else { continue }
                    return try query.audio ?? queries.audio(of: moved, query.facts)
                } catch is TrialError { continue }
            }
        }
        let audio = try queries.audio(of: trial, facts)
        let most = max(1, audio.frameCount / 50)
        return audio.frames((1 + generator.index(below: most))..<audio.frameCount)
    }
}

extension Trial {
    /// The query for a fresh look at the same recording: chain, noise and start are those of another seed's plan.
    ///
    /// - Parameter drawn: The trial of the same name in that plan.
    func fresh(as drawn: Trial) -> Trial {
        var trial = self
        (trial.chain, trial.startSeed) = (drawn.chain, drawn.startSeed)
        return trial
    }
}

extension Plan {
    /// The trials that another seed draws, by name; none of a list of recorded queries.
    func redrawn(seed: UInt64) throws -> [String: Trial] {
        guard recorded == nil else { return [:] }
        var expansion = PlanExpansion(file: file, corpus: corpus, half: half, seed: seed)
        for family in file.families {
            for member in family.members { try expansion.add(member, of: family) }
        }
        return Dictionary(uniqueKeysWithValues: try expansion.trials().map { ($0.id, $0) })
    }
}
