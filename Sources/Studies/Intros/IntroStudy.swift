import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers
import Synchronization

/// Builds sets of episodes that share an intro, and records a matcher's answers to queries from them.
///
/// The records and their order do not depend on the number of threads.
package struct IntroStudy: Sendable {
    package let plan: IntroPlanFile
    /// The source of the episodes.
    package let corpus: Corpus
    package let contestant: Contestant
    private let material: any Material
    let jobs: Int
    package let progress: EvaluationRun.Progress

    package init(
        plan: IntroPlanFile, corpus: Corpus, contestant: Contestant, material: any Material, jobs: Int,
        progress: @escaping EvaluationRun.Progress = { _, _, _ in }
    ) {
        self.plan = plan
        self.corpus = corpus
        self.contestant = contestant
        self.material = material
        self.jobs = jobs
        self.progress = progress
    }

    /// Runs every set.
    ///
    /// - Throws: ``ConfigurationError`` if the corpus has too few recordings. The errors of decoding and enrolment.
    ///   The record of a query holds its own error.
    package func run(in study: StudyRun) throws -> [IntroRecord] {
        let sets = try plan.drawSets(from: corpus)
        return try study.outcomes(of: sets.map { StudyRun.Trial(id: $0.name) }, stage: "sets", jobs: 1) {
            () -> @Sendable (Int) throws -> [IntroRecord] in
            let prepared = PreparedReferences(jobs: jobs, keepingKeys: 1) { try corpus.audio(of: $0) }
            return { number in
                let audio = try sets[number].build(plan, corpus: corpus, jobs: jobs)
                let records = try answers(to: sets[number], audio, prepared)
                // Tags do not depend on the number of episodes, so only sets of the first number are used.
                guard sets[number].episodes.count == plan.episodes.first else { return records }
                return try records + tagAnswers(to: sets[number], audio, prepared)
            }
        }.flatMap(\.self)
    }

    /// What decides the outcomes, apart from the matcher; the margin only scores them.
    package func identity(materialDigest: String) -> [String] {
        ["intros", plan.digest, corpus.lockDigest, materialDigest]
    }

    private func answers(
        to set: IntroSet, _ audio: IntroSet.Audio, _ prepared: PreparedReferences
    ) throws -> [IntroRecord] {
        let matcher = try contestant.make()
        _ = try ParallelMap.map(set.episodes.count, jobs: matcher.enrolmentJobs(of: jobs)) {
            try matcher.enrol(id: set.episodeID($0), audio: audio.episodes[$0].audio)
        }
        _ = try prepared.enrol(set.background, into: [(matcher, nil)])
        _ = try matcher.finishEnrolment()
        let places = Dictionary(
            uniqueKeysWithValues: set.episodes.indices.map { (set.episodeID($0), $0 + 1) })
        let queries = set.queries(plan, audio)
        return try ParallelMap.map(queries.count, jobs: jobs) { number in
            let (episode, query) = queries[number]
            return answer(query, number, audio.episodes[episode].audio, matcher) { places[$0] ?? 0 }
        }
    }

    private func tagAnswers(
        to set: IntroSet, _ audio: IntroSet.Audio, _ prepared: PreparedReferences
    ) throws -> [IntroRecord] {
        let queries = set.tagQueries(plan, introSeconds: audio.intro.durationSeconds)
        guard !queries.isEmpty else { return [] }
        let matcher = try contestant.make()
        try matcher.enrol(id: set.name, audio: audio.intro)
        _ = try prepared.enrol(set.background, into: [(matcher, nil)])
        _ = try matcher.finishEnrolment()
        return try ParallelMap.map(queries.count, jobs: jobs) { number in
            answer(queries[number], number, audio.intro, matcher) { $0 == set.name ? 1 : 0 }
        }
    }

    private func answer(
        _ query: IntroQuery, _ number: Int, _ source: AudioBuffer, _ matcher: any Matcher,
        place: (String) -> Int
    ) -> IntroRecord {
        var record = query.record
        do {
            let clip = try query.render(from: source, seed: plan.seed, number: number, material: material)
            record.snrDecibelsTo4kHz = clip.measurements["snrDecibelsTo4kHz"]
            let asked = Query(name: "q\(number)", audio: clip.audio)
            let candidates = try matcher.identify(
                asked, most: max(10, record.kind == .tag ? 0 : record.episodes))
            record.take(candidates, place: place)
        } catch {
            record.error = "\(error)"
        }
        return record
    }
}

extension IntroRecord {
    /// Records the answers; `place` returns the episode number of a reference, 0 for none.
    mutating func take(_ candidates: [Candidate], place: (String) -> Int) {
        accepted = candidates.count { $0.isAccepted && place($0.referenceID) > 0 }
        guard let best = candidates.first, best.isAccepted else { return }
        first = place(best.referenceID)
        frequencySkew = best.frequencySkew
        freeFrequencySkew = best.freeFrequencySkew
        // The closest other candidate counts, at any rank.
        lead = candidates.dropFirst().map { $0.logLikelihoodDeficit ?? best.score - $0.score }.min()
    }
}
