import AudioCore
import Glibc
import Matchers
import Metrics

/// The parts of one answer that objectives need.
struct TrialAnswer: Codable, Hashable, Sendable {
    /// The highest threshold at which a right reference is claimed; nil when at none.
    var rightScore: Double?
    /// The highest threshold at which a wrong reference is claimed; nil when at none.
    var wrongScore: Double?
    /// Processor time of the thread that asked, in milliseconds; differs from run to run.
    var milliseconds: Double
}

/// Asks contestants with different settings about the same queries.
///
/// Queries are rendered once and references decoded once. References are analysed again only for settings that change
/// the analysis.
package struct CandidateEvaluator: Sendable {
    package let questions: QuestionSet
    let references: ReferenceCache
    private let jobs: Int

    struct Answers: Sendable {
        var trials: [TrialAnswer] = []
        var indexBytes: Int?
        /// The error of the contestant, which then has no answers.
        var failure: String?
    }

    /// - Parameter folder: A writable folder for decoded references, in unnamed files that end with the process.
    package init(questions: QuestionSet, jobs: Int, folder: String) {
        self.questions = questions
        self.jobs = jobs
        references = ReferenceCache(plan: questions.plan, jobs: jobs, folder: folder)
    }

    /// Asks `contestant` the queries `numbers`; the answers have that order for any number of threads.
    ///
    /// - Throws: ``TuningError`` when a reference or a query cannot be read. Errors of the contestant are part of the
    ///   answers.
    func answers(of contestant: Contestant, to numbers: [Int]) throws -> Answers {
        let asked = numbers.map { questions.questions[$0] }
        var answers = Answers()
        // In a small plan a rung may add no trial.
        if numbers.isEmpty { return answers }
        do {
            let matchers = try matchers(of: contestant, folds: Set(asked.compactMap(\.fold)))
            answers.indexBytes = matchers.indexBytes
            answers.trials = try ParallelMap.map(numbers.count, jobs: jobs) { index in
                let matcher = asked[index].fold.flatMap { matchers.folds[$0] } ?? matchers.whole
                let query = try questions.query(numbers[index])
                let start = Self.threadMilliseconds()
                let candidates = try matcher.identify(query)
                let milliseconds = Self.threadMilliseconds() - start
                let scores = ScoredTrial(
                    isPositive: asked[index].isPositive,
                    candidates: candidates.map {
                        ($0.score, asked[index].rightReferences.contains($0.referenceID))
                    })
                return TrialAnswer(
                    rightScore: scores.rightScore, wrongScore: scores.wrongScore, milliseconds: milliseconds)
            }
        } catch let error as TuningError {
            throw error
        } catch {
            answers.failure = "\(error)"
        }
        return answers
    }

    private func matchers(of contestant: Contestant, folds: Set<Int>) throws
        -> (whole: any Matcher, folds: [Int: any Matcher], indexBytes: Int?)
    {
        let plan = questions.plan
        let whole = try contestant.make()
        let parts = Dictionary(uniqueKeysWithValues: try folds.map { ($0, try contestant.make()) })
        let all = [(matcher: whole, references: Set(references.tracks.map(\.id)))]
        try references.enrol(
            into: all
                + parts.map { fold, matcher in
                    (matcher, Set(plan.references(leavingOut: fold).map(\.id)))
                })
        let bytes = try whole.finishEnrolment()
        for matcher in parts.values { _ = try matcher.finishEnrolment() }
        return (whole, parts, bytes)
    }

    private static func threadMilliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) * 1e-6
    }
}
