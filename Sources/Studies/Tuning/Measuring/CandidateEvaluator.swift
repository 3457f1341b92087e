import AudioCore
import Evaluation
import Matchers
import Metrics

/// The answers of one candidate to some queries.
struct Measurement: Codable, Sendable {
    /// The parts of one answer that objectives need.
    struct Answer: Codable, Hashable, Sendable {
        /// The highest threshold at which a right reference is claimed; nil when at none.
        var rightScore: Double?
        /// The highest threshold at which a wrong reference is claimed; nil when at none.
        var wrongScore: Double?
        /// Processor time, which differs from run to run; nil where the machine disturbed it.
        var milliseconds: Double?
        /// The error of a program in place of an answer, which counts as none.
        var failure: String?
    }

    var answers: [Answer] = []
    var indexBytes: Int?
    /// The error of the contestant, which then has no answers.
    var failure: String?
    var seconds = 0.0

    /// The queries that ended with an error.
    var errors: Int { answers.count { $0.failure != nil } }
}

/// Asks contestants with different settings about the same queries.
///
/// Queries are rendered once and references decoded once. References are analysed again only for settings that change
/// the analysis.
package struct CandidateEvaluator: Sendable {
    package let questions: QuestionSet
    private let references: PreparedReferences
    private let jobs: Int

    /// Decoded references beyond this limit are decoded on each use.
    private static let mostDecodedBytes: UInt64 = 4_000_000_000
    private static let keptKeys = 24

    /// - Parameter folder: A writable folder for decoded references, in unnamed files that end with the process.
    package init(questions: QuestionSet, jobs: Int, folder: String) {
        self.questions = questions
        self.jobs = jobs
        let corpus = questions.plan.corpus
        let decoded = QuerySpool(folder: folder, mostBytes: Self.mostDecodedBytes)
        references = PreparedReferences(jobs: jobs, keepingKeys: Self.keptKeys) { track in
            if let known = decoded?.audio(for: track.id) { return known }
            do {
                let audio = try corpus.audio(of: track)
                decoded?.keep(audio, for: track.id)
                return audio
            } catch {
                throw TuningError("the reference \(track.id) cannot be decoded: \(error)")
            }
        }
    }

    /// Asks `contestant` the queries `numbers`; the answers have that order for any number of threads.
    ///
    /// - Throws: ``TuningError`` when a reference or a query cannot be read. Errors of the contestant are part of the
    ///   measurement, and so are the values that it refuses.
    func measure(_ contestant: Contestant, on numbers: [Int]) throws -> Measurement {
        let clock = ContinuousClock()
        let began = clock.now
        var measurement = Measurement()
        // In a small plan a rung may add no trial.
        if !numbers.isEmpty {
            do {
                let folds = numbers.compactMap { questions.questions[$0].fold }
                let enrolment = try Enrolment(of: contestant, folds: Set(folds))
                measurement.indexBytes = try enrolment.enrol(questions.plan, from: references).indexBytes
                measurement.answers = try ParallelMap.map(numbers.count, jobs: jobs) {
                    try answer(to: numbers[$0], enrolment)
                }
                // A program that fails at every query is no candidate; single errors are losses.
                if measurement.errors == measurement.answers.count {
                    measurement.failure = measurement.answers.first?.failure
                    measurement.answers = []
                }
            } catch let error where !(error is TuningError || error.isFailureOfJudge) {
                measurement.failure = "\(error)"
            }
        }
        measurement.seconds = (clock.now - began).seconds
        return measurement
    }

    private func answer(to number: Int, _ enrolment: Enrolment) throws -> Measurement.Answer {
        var record = questions.questions[number].record
        let query = try questions.query(number)
        let matcher = try enrolment.matcher(leavingOut: record.trial.fold)
        var (milliseconds, failure) = (Double?.none, String?.none)
        if let program = matcher.powers.remote {
            do {
                (record.candidates, milliseconds) = try Self.answer(of: program, to: query)
            } catch let error where !error.isFailureOfJudge {
                failure = "\(error)"
            }
        } else {
            let start = ThreadClock.seconds
            record.candidates = try matcher.identify(query)
            milliseconds = (ThreadClock.seconds - start) * 1000
        }
        let scores = JudgedTrial(record, threshold: nil).scores
        return Measurement.Answer(
            rightScore: scores.rightScore, wrongScore: scores.wrongScore, milliseconds: milliseconds,
            failure: failure)
    }

    /// The answer of a program and its processor time; of a disturbed query the second answer, without a time.
    private static func answer(
        of program: any RemoteMatcher, to query: Query
    ) throws -> ([Candidate], milliseconds: Double?) {
        do {
            let timed = try program.identifyTimed(query)
            return (timed.candidates, timed.processorMilliseconds ?? timed.milliseconds)
        } catch is NotMeasured {
            return (try program.identify(query), nil)
        }
    }
}
