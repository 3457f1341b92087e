import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers
import Synchronization

/// Builds sets of episodes that share an intro, puts queries of them to a matcher and writes down the answers.
///
/// Records come in one order and are the same on any number of threads.
package struct IntroStudy: Sendable {
    /// What is built and asked.
    package let plan: IntroPlanFile
    /// What the episodes are built from.
    package let corpus: Corpus
    /// Who is asked.
    package let contestant: Contestant
    private let material: any Material
    let jobs: Int
    private let progress: EvaluationRun.Progress

    /// Prepares a study.
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
    /// - Throws: ``ConfigurationError`` when the corpus has too few recordings, and what decoding or enrolment throws;
    ///   what a single query throws stands in its record.
    package func run() throws -> [IntroRecord] {
        let sets = try plan.drawSets(from: corpus)
        let prepared = PreparedReferences(corpus: corpus)
        var records: [IntroRecord] = []
        for (done, set) in sets.enumerated() {
            let audio = try set.build(plan, corpus: corpus, jobs: jobs)
            records += try answers(to: set, audio, prepared)
            // Tags do not depend on the number of episodes: each intro of the first number is asked about once.
            if set.episodes.count == plan.episodes.first {
                records += try tagAnswers(to: set, audio, prepared)
            }
            progress("sets", done + 1, sets.count)
        }
        return records
    }

    private func answers(
        to set: IntroSet, _ audio: IntroSet.Audio, _ prepared: PreparedReferences
    ) throws -> [IntroRecord] {
        let matcher = try contestant.make()
        _ = try ParallelMap.map(set.episodes.count, jobs: matcher.enrolmentJobs(of: jobs)) {
            try matcher.enrol(id: set.episodeID($0), audio: audio.episodes[$0].audio)
        }
        try prepared.enrol(set.background, in: matcher, jobs: jobs)
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
        try prepared.enrol(set.background, in: matcher, jobs: jobs)
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
    /// Writes down what matters of the answers; `place` tells which episode a reference is, 0 for none.
    mutating func take(_ candidates: [Candidate], place: (String) -> Int) {
        accepted = candidates.count { $0.isAccepted && place($0.referenceID) > 0 }
        guard let best = candidates.first, best.isAccepted else { return }
        first = place(best.referenceID)
        frequencySkew = best.frequencySkew
        freeFrequencySkew = best.freeFrequencySkew
        // The second is whoever comes nearest, wherever it stands in the order.
        lead = candidates.dropFirst().map { $0.logLikelihoodDeficit ?? best.score - $0.score }.min()
    }
}

/// Recordings that many sets enrol, each analysed once where the matcher can.
private final class PreparedReferences: Sendable {
    private let corpus: Corpus
    private let prepared = Mutex<[String: any Sendable]>([:])

    init(corpus: Corpus) { self.corpus = corpus }

    func enrol(_ tracks: [Track], in matcher: any Matcher, jobs: Int) throws {
        _ = try ParallelMap.map(tracks.count, jobs: matcher.enrolmentJobs(of: jobs)) {
            try enrol(tracks[$0], in: matcher)
        }
    }

    private func enrol(_ track: Track, in matcher: any Matcher) throws {
        if let preparing = matcher as? any PreparingMatcher {
            try enrol(track, preparing: preparing)
        } else {
            try matcher.enrol(id: track.id, audio: corpus.audio(of: track))
        }
    }

    private func enrol<Preparing: PreparingMatcher>(_ track: Track, preparing matcher: Preparing) throws {
        let known = prepared.withLock { $0[track.id] } as? Preparing.Prepared
        let value = try known ?? matcher.prepare(corpus.audio(of: track))
        if known == nil { prepared.withLock { $0[track.id] = value } }
        matcher.enrol(id: track.id, prepared: value)
    }
}
