import Synchronization

extension SHSession {
    /// How a query ended.
    @frozen public enum Result: Sendable {
        /// It was recognised.
        case match(SHMatch)
        /// It is of no reference of the catalog.
        case noMatch(SHSignature)
        /// It could not be looked up; the error is an `SHError`.
        case error(any Error, SHSignature)
    }

    /// The outcomes of a session, one after the other.
    ///
    /// Each sequence gets every outcome from when it was asked for; the first one also those before, up to 128. It ends
    /// when the session is let go of, or is cancelled. One that is not read keeps the latest 1,024.
    public struct Results: AsyncSequence, Sendable {
        /// The outcomes.
        public typealias Element = SHSession.Result
        /// Nothing is thrown.
        public typealias Failure = Never

        let stream: AsyncStream<SHSession.Result>

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

        /// Reads outcomes as they come.
        public struct Iterator: AsyncIteratorProtocol {
            var base: AsyncStream<SHSession.Result>.Iterator

            /// The next outcome; nil when there will be none.
            public mutating func next() async -> SHSession.Result? { await base.next() }
        }
    }
}

/// Gives outcomes to all who read them.
final class ResultBroadcast: Sendable {
    private struct State {
        var readers: [Int: AsyncStream<SHSession.Result>.Continuation] = [:]
        var nextReader = 0
        var backlog: [SHSession.Result] = []
        var isOver = false
    }

    static let mostUnread = 1024
    private static let longestBacklog = 128
    private let state = Mutex(State())

    func send(_ result: SHSession.Result) {
        let readers = state.withLock { state in
            if state.nextReader == 0 {
                state.backlog.append(result)
                if state.backlog.count > Self.longestBacklog { state.backlog.removeFirst() }
            }
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield(result) }
    }

    /// A new sequence of outcomes.
    func results() -> SHSession.Results {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SHSession.Result.self, bufferingPolicy: .bufferingNewest(Self.mostUnread))
        let isOver = state.withLock { state in
            for result in state.backlog { continuation.yield(result) }
            state.backlog = []
            let reader = state.nextReader
            state.nextReader += 1
            if !state.isOver { state.readers[reader] = continuation }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.readers[reader] = nil }
            }
            return state.isOver
        }
        if isOver { continuation.finish() }
        return SHSession.Results(stream: stream)
    }

    /// Ends all sequences, and those to come when `forGood`.
    func finish(forGood: Bool = true) {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            if forGood { state.isOver = true }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
