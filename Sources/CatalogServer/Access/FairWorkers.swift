import EarshotKit
import NIOPosix
import Synchronization

/// Threads for searches, which clients share fairly.
///
/// Clients that wait take turns, however many requests each of them has. One client never has all threads, so another finds
/// one at once.
package final class FairWorkers: Sendable {
    private struct Job: Sendable {
        let client: String
        let latest: ContinuousClock.Instant
        let call: Call
        /// Does the work, or fails without it.
        let end: @Sendable ((any Error)?) -> Void
    }

    private final class Call: Sendable {
        let isCancelled = Atomic(false)
    }

    private struct State {
        /// The number of jobs that run, of all clients and of each.
        var running = 0
        var runningOf: [String: Int] = [:]
        /// The jobs that wait, of each client in their order.
        var waiting: [String: [Job]] = [:]
        /// The clients with jobs that wait, the next one first.
        var turns: [String] = []
    }

    private let state = Mutex(State())
    private let pool: NIOThreadPool
    let threads: Int
    private let wait: Duration

    /// - Parameters:
    ///   - cores: The most threads of one client. There is one more, for others.
    ///   - waitSeconds: A job that waits longer is refused.
    package init(cores: Int, waitSeconds: Double) {
        threads = max(1, cores) + 1
        wait = .seconds(waitSeconds)
        pool = NIOThreadPool(numberOfThreads: threads)
    }

    package func start() { pool.start() }
    package func end() async throws { try await pool.shutdownGracefully() }

    /// The number of jobs that wait for their turn.
    package var waiting: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Works for a client when it is its turn.
    ///
    /// - Throws: `CatalogFault` after too long a wait, `CancellationError` if the task was cancelled before its turn, or the
    ///   error of `work`.
    package func run<Result: Sendable>(
        for client: String, _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let call = Call()
        let latest = ContinuousClock.now + wait
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(
                    Job(client: client, latest: latest, call: call) { error in
                        if let error { return continuation.resume(throwing: error) }
                        continuation.resume(with: Swift.Result(catching: work))
                    })
            }
        } onCancel: {
            call.isCancelled.store(true, ordering: .relaxed)
        }
    }

    private func add(_ job: Job) {
        state.withLock { state in
            if state.waiting[job.client] == nil { state.turns.append(job.client) }
            state.waiting[job.client, default: []].append(job)
        }
        startNext()
    }

    /// Starts the jobs for which there is a thread.
    private func startNext() {
        while let job = state.withLock({ next(&$0) }) {
            pool.submit { [self] thread in
                job.end(fault(of: job, isEnding: thread == .cancelled))
                state.withLock { state in
                    state.running -= 1
                    let own = state.runningOf[job.client, default: 0] - 1
                    state.runningOf[job.client] = own > 0 ? own : nil
                }
                startNext()
            }
        }
    }

    private func next(_ state: inout State) -> Job? {
        guard state.running < threads,
            let place = state.turns.firstIndex(where: { state.runningOf[$0, default: 0] < threads - 1 })
        else { return nil }
        let client = state.turns.remove(at: place)
        guard var jobs = state.waiting.removeValue(forKey: client), !jobs.isEmpty else { return nil }
        let job = jobs.removeFirst()
        if !jobs.isEmpty {
            state.waiting[client] = jobs
            state.turns.append(client)
        }
        state.running += 1
        state.runningOf[client, default: 0] += 1
        return job
    }

    /// Why a job whose turn it is gets no work done.
    private func fault(of job: Job, isEnding: Bool) -> (any Error)? {
        if isEnding || job.call.isCancelled.load(ordering: .relaxed) { return CancellationError() }
        guard ContinuousClock.now > job.latest else { return nil }
        return CatalogFault(
            .overloaded, "the query has waited for its turn too long", remedy: "Try again after a second.")
    }
}
