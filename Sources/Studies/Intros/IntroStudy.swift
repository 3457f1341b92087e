import AudioCore
import Corpora
import Degradations
import Evaluation
import Matchers

/// Builds sets of episodes that share an intro, and records a matcher's answers to queries from them.
///
/// The records and their order do not depend on the number of threads.
package struct IntroStudy: Study, Sendable {
    package static let name = "intros"
    package var settings: IntroPlanFile { plan.portable }
    package var identity: [String] {
        get throws {
            let recipe = QueryRecipe(corpus: corpus, material: material)
            var generator = SeededGenerator(seed: plan.seed)
            // Tags change the speed.
            var chain = DegradationChain(steps: [AnyDegradation(Speed(percent: 0))])
            for step in plan.conditions.flatMap(\.chain) {
                chain.steps.append(try step.draw(using: &generator))
            }
            return try [plan.unscored(), corpus.lockDigest, QueryRecipe.libraries]
                + recipe.content(of: chain)
        }
    }
    package var trialCount: Int { get throws { try setNames().count } }

    package let plan: IntroPlanFile
    package let corpus: Corpus
    package let contestant: Contestant
    private let material: CorpusMaterial

    package init(
        plan: IntroPlanFile, corpus: Corpus, contestant: Contestant, material: CorpusMaterial
    ) {
        self.plan = plan
        self.corpus = corpus
        self.contestant = contestant
        self.material = material
    }

    /// - Throws: ``ConfigurationError`` if the corpus has too few recordings. The errors of decoding and enrolment.
    ///   The record of a query holds its own error.
    package func run(in study: StudyRun) throws -> [IntroRecord] {
        let sets = try plan.drawSets(from: corpus)
        return try study.outcomes(of: sets.map { StudyRun.Trial(id: $0.name) }, stage: "sets", jobs: 1) {
            () -> @Sendable (Int) throws -> [IntroRecord] in
            let prepared = PreparedReferences(of: corpus, jobs: study.jobs, keepingKeys: 1)
            return { number in
                let set = sets[number]
                let audio = try set.build(plan, corpus: corpus, jobs: study.jobs)
                let records = try answers(
                    to: set.queries(plan, audio).map { (audio.episodes[$0.episode].audio, $0.query) },
                    audio.episodes.enumerated().map { (set.episodeID($0), $1.audio) }, of: set, prepared,
                    jobs: study.jobs)
                // Tags do not depend on the number of episodes, so only sets of the first number are used.
                guard set.episodes.count == plan.episodes.first else { return records }
                let tags = set.tagQueries(plan, introSeconds: audio.intro.durationSeconds)
                guard !tags.isEmpty else { return records }
                return try records
                    + answers(
                        to: tags.map { (audio.intro, $0) }, [(set.name, audio.intro)], of: set, prepared,
                        jobs: study.jobs)
            }
        }.flatMap(\.self)
    }

    private typealias Reference = (id: String, audio: AudioBuffer)

    /// Enrols `references` beside the background of a set, and asks.
    private func answers(
        to queries: [(source: AudioBuffer, query: IntroQuery)], _ references: [Reference], of set: IntroSet,
        _ prepared: PreparedReferences, jobs: Int
    ) throws -> [IntroRecord] {
        let matcher = try contestant.make()
        _ = try ParallelMap.map(references.count, jobs: matcher.enrolmentJobs(of: jobs)) {
            try matcher.enrol(id: references[$0].id, audio: references[$0].audio)
        }
        _ = try prepared.enrol(set.background, into: [(matcher, nil)])
        _ = try matcher.finishEnrolment()
        let places = Dictionary(uniqueKeysWithValues: references.enumerated().map { ($1.id, $0 + 1) })
        return try ParallelMap.map(queries.count, jobs: jobs) { number in
            try answer(queries[number].query, number, queries[number].source, matcher) { places[$0] ?? 0 }
        }
    }

    private func answer(
        _ query: IntroQuery, _ number: Int, _ source: AudioBuffer, _ matcher: any Matcher,
        place: (String) -> Int
    ) throws -> IntroRecord {
        var record = query.record
        do {
            let clip = try TrialError.making {
                try query.render(from: source, seed: plan.seed, number: number, material: material)
            }
            record.snrDecibelsTo4kHz = clip.measurements["snrDecibelsTo4kHz"]
            let asked = Query(name: "q\(number)", audio: clip.audio)
            let most = max(10, record.kind == .tag ? 0 : record.episodes)
            let candidates = try TrialError.asking { try matcher.identify(asked, most: most) }
            record.take(candidates, place: place)
        } catch let error as TrialError {
            record.error = error.description
        }
        return record
    }
}

extension IntroRecord {
    /// Records the answers; `place` returns the episode number of a reference, 0 for none.
    mutating func take(_ answers: [Candidate], place: (String) -> Int) {
        let candidates = answers.filter { !$0.isRelated }
        accepted = candidates.count { $0.isAccepted && place($0.referenceID) > 0 }
        guard let best = candidates.first, best.isAccepted else { return }
        first = place(best.referenceID)
        frequencySkew = best.frequencySkew
        freeFrequencySkew = best.freeFrequencySkew
        // The closest other candidate counts, at any rank.
        lead = candidates.dropFirst().map { $0.logLikelihoodDeficit ?? best.score - $0.score }.min()
    }
}

/// An episode of a study, for listening.
package struct BuiltEpisode: Sendable {
    package let id: String
    package let audio: AudioBuffer
    /// The range of the part that the set shares, in seconds.
    package let introSeconds: Range<Double>
}

extension IntroStudy {
    package func setNames() throws -> [String] { try plan.drawSets(from: corpus).map(\.name) }

    package func episodes(ofSet name: String, jobs: Int) throws -> [BuiltEpisode] {
        guard let set = try plan.drawSets(from: corpus).first(where: { $0.name == name }) else { return [] }
        return try set.build(plan, corpus: corpus, jobs: jobs).episodes.enumerated().map { index, episode in
            BuiltEpisode(id: set.episodeID(index), audio: episode.audio, introSeconds: episode.intro)
        }
    }
}
