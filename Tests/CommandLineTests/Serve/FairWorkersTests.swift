import CatalogServer
import Dispatch
import EarshotKit
import Synchronization
import Testing

/// Searches of several clients on few threads.
@Suite struct FairWorkersTests {
    /// One that has waited too long is refused, and one whose client has gone is not done.
    @Test func whoWaitsTooLongIsRefused() async throws {
        let workers = FairWorkers(cores: 1, waitSeconds: -1)
        workers.start()
        await #expect(throws: CatalogFault.self) { try await workers.run(for: "a") {} }
        let patient = FairWorkers(cores: 1, waitSeconds: 60)
        patient.start()
        let gone = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await patient.run(for: "a") { Issue.record("it was done") }
        }
        await #expect(throws: CancellationError.self) { try await gone.value }
        try await workers.end()
        try await patient.end()
    }

    private final class Turns: Sendable {
        let order = Mutex<[String]>([])
        let started = Mutex(0)
        let gates = ["many": DispatchSemaphore(value: 0), "other": DispatchSemaphore(value: 0)]
    }

    /// Searches of one address do not keep those of another waiting.
    @Test func addressesTakeTurns() async throws {
        let workers = FairWorkers(cores: 1, waitSeconds: 60)
        workers.start()
        let turns = Turns()
        func add(_ client: String, holds: Bool = false) -> Task<Void, any Error> {
            Task {
                try await workers.run(for: client) {
                    turns.started.withLock { $0 += 1 }
                    if holds { turns.gates[client]?.wait() }
                    turns.order.withLock { $0.append(client) }
                }
            }
        }
        // Both threads are taken when the others come. Only that of "many" is free again before all are done.
        var tasks = ["many", "other"].map { add($0, holds: true) }
        while turns.started.withLock(\.self) < 2 { await Task.yield() }
        tasks += (0..<6).map { _ in add("many") }
        while workers.waiting < 6 { await Task.yield() }
        tasks.append(add("few"))
        while workers.waiting < 7 { await Task.yield() }
        turns.gates["many"]?.signal()
        while turns.order.withLock({ $0.count }) < 8 { await Task.yield() }
        turns.gates["other"]?.signal()
        for task in tasks { try await task.value }
        let expected = ["many", "many", "few", "many", "many", "many", "many", "many", "other"]
        #expect(turns.order.withLock(\.self) == expected)
        try await workers.end()
    }
}
