import AudioCore

/// A matcher that works in processes of its own, apart from the judge's.
///
/// It may die, and then has to learn its references again, so it is told where they can be had.
public protocol RemoteMatcher: Matcher {
    /// Identifies a query and says what that took, the time that passing the query on takes left out.
    func identifyTimed(_ query: Query) throws -> TimedAnswers

    /// Processor seconds that its processes have spent so far; nil where they are not known.
    var processorSeconds: Double? { get }

    /// The most memory its processes were seen to hold at a time, in bytes; nil where it is not known.
    var peakMemoryBytes: Int? { get }

    /// How often it was started again after it had died or been ended.
    var restartCount: Int { get }

    /// Says where a reference can be had again; without it a matcher that dies stays dead.
    ///
    /// Called before the first reference is learnt; `source` may be called later, from any thread.
    func setReferenceSource(_ source: @escaping @Sendable (_ id: String) throws -> AudioBuffer)
}

extension Matcher {
    /// On how many of `jobs` threads it may be taught.
    ///
    /// One in a process of its own takes one reference at a time: more threads would only wait, and it would be taught
    /// in another order each time.
    package func enrolmentJobs(of jobs: Int) -> Int { self is any RemoteMatcher ? 1 : jobs }
}

/// The answers to a query and what they took.
public struct TimedAnswers: Sendable {
    /// The candidates, best first.
    public var candidates: [Candidate]
    /// Milliseconds by the clock, from the question to the answer.
    public var milliseconds: Double
    /// Processor milliseconds, over all threads and processes of the matcher; nil where they are not known.
    public var processorMilliseconds: Double?

    /// Makes answers.
    public init(candidates: [Candidate], milliseconds: Double, processorMilliseconds: Double?) {
        self.candidates = candidates
        self.milliseconds = milliseconds
        self.processorMilliseconds = processorMilliseconds
    }
}
