import Synchronization

/// A queue that delivers outcomes in order, though audio and the clock add them on several threads.
final class ResultQueue: @unchecked Sendable {
    private let waiting = Mutex<[SHSession.Result]>([])
    // Held by the thread that delivers, which alone uses `isDelivering`: so the queue is Sendable.
    private let turn = NSRecursiveLock()
    private var isDelivering = false

    var isEmpty: Bool { waiting.withLock(\.isEmpty) }

    func add(_ results: [SHSession.Result]) { waiting.withLock { $0 += results } }

    /// Delivers all outcomes, after another thread has delivered its.
    ///
    /// A call by a receiver returns at once: the thread that called the receiver delivers these too.
    func deliver(to receive: (SHSession.Result) -> Void) {
        turn.withLock {
            guard !isDelivering else { return }
            isDelivering = true
            defer { isDelivering = false }
            while let next = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { receive(next) }
        }
    }
}

final class ResultBroadcast: Sendable {
    private struct State {
        var readers: [Int: AsyncStream<SHSession.Result>.Continuation] = [:]
        var nextReader = 0
        var backlog: [SHSession.Result] = []
        var isOver = false
    }

    static let maxUnread = 1024
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

    func results() -> SHSession.Results {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SHSession.Result.self, bufferingPolicy: .bufferingNewest(Self.maxUnread))
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

    /// Ends all sequences, and with `forGood` all later ones.
    func finish(forGood: Bool = true) {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            if forGood { state.isOver = true }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }
}
