import AudioCore
import Corpora
import Evaluation
import Matchers

/// References that were analysed once and can be learnt by any number of instances of one contestant.
struct Enrolment: Sendable {
    /// The references, in order.
    let tracks: [Track]
    private let learn: [@Sendable (any Matcher) throws -> Void]

    /// Analyses `tracks` of `corpus` for instances of `contestant`, on up to `jobs` threads.
    ///
    /// Where a contestant cannot prepare, each instance is given the audio anew.
    init(
        of tracks: [Track], in corpus: Corpus, for contestant: Contestant, jobs: Int,
        progress: @escaping EvaluationRun.Progress
    ) throws {
        self.tracks = tracks
        guard let preparing = try contestant.make() as? any PreparingMatcher else {
            learn = tracks.map { track in
                { try $0.enrol(id: track.id, audio: corpus.audio(of: track)) }
            }
            return
        }
        learn = try Self.prepared(tracks, corpus, preparing, jobs, progress)
    }

    private static func prepared<M: PreparingMatcher>(
        _ tracks: [Track], _ corpus: Corpus, _ preparing: M, _ jobs: Int,
        _ progress: @escaping EvaluationRun.Progress
    ) throws -> [@Sendable (any Matcher) throws -> Void] {
        try ParallelMap.map(
            tracks.count, jobs: jobs, progress: { progress("references", $0, tracks.count) }
        ) { number in
            let track = tracks[number]
            let prepared = try preparing.prepare(corpus.audio(of: track))
            return { matcher in
                // A contestant makes instances of one type; another one would learn from the audio.
                guard let matcher = matcher as? M else {
                    return try matcher.enrol(id: track.id, audio: corpus.audio(of: track))
                }
                matcher.enrol(id: track.id, prepared: prepared)
            }
        }
    }

    /// Has `matcher` learn the first `count` references.
    func enrol(first count: Int, into matcher: any Matcher, jobs: Int) throws {
        _ = try ParallelMap.map(min(count, learn.count), jobs: matcher.enrolmentJobs(of: jobs)) {
            try learn[$0](matcher)
        }
    }

    /// Has `matcher` learn all references, and ends its enrolment.
    func enrolAll(into matcher: any Matcher, jobs: Int) throws {
        try enrol(first: learn.count, into: matcher, jobs: jobs)
        _ = try matcher.finishEnrolment()
    }
}
