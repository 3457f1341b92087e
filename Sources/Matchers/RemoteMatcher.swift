import AudioCore

/// A matcher that runs in its own processes.
///
/// They may die and need their references again, so it gets a source of references.
public protocol RemoteMatcher: Matcher {
    /// Identifies a query and measures it, without the time to pass the query on.
    func identifyTimed(_ query: Query) throws -> TimedAnswers

    /// Processor seconds of its processes so far; nil when unknown.
    var processorSeconds: Double? { get }

    /// The greatest memory of its processes together, in bytes; nil when unknown.
    var peakMemoryBytes: Int? { get }

    /// The number of restarts after a death or a kill.
    var restartCount: Int { get }

    /// Sets the source of references for restarts; without it a matcher that dies is not restarted.
    ///
    /// Called before the first enrolment. `source` may be called later, from any thread.
    func setReferenceSource(_ source: @escaping @Sendable (_ id: String) throws -> AudioBuffer)
}

extension RemoteMatcher {
    /// Says that it is remote; a matcher that states its own powers sets ``MatcherPowers/remote`` too.
    public var powers: MatcherPowers { MatcherPowers(remote: self) }
}

extension Matcher {
    /// The number of threads for enrolment, of `jobs`.
    ///
    /// A remote matcher takes one reference at a time. More threads would only wait, and would change the order of
    /// references between runs.
    package func enrolmentJobs(of jobs: Int) -> Int { powers.remote == nil ? jobs : 1 }
}

/// The answers to a query and their cost.
public struct TimedAnswers: Sendable {
    /// The candidates, best first.
    public var candidates: [Candidate]
    /// Wall time from the question to the answer.
    public var milliseconds: Double
    /// Processor time of all threads and processes of the matcher; nil when unknown.
    public var processorMilliseconds: Double?

    /// Makes answers.
    public init(candidates: [Candidate], milliseconds: Double, processorMilliseconds: Double?) {
        self.candidates = candidates
        self.milliseconds = milliseconds
        self.processorMilliseconds = processorMilliseconds
    }
}
