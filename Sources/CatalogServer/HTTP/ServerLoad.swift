import Synchronization

/// How much the server does at the moment.
final class ServerLoad: Sendable {
    private struct State {
        var connections = 0
        var requests = 0
        var isDraining = false
    }

    private let state = Mutex(State())

    var connections: Int { state.withLock { $0.connections } }
    /// The requests that have no answer yet.
    var requests: Int { state.withLock { $0.requests } }
    /// Whether the server is about to end: answers close their connections.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    func connectionOpened() { state.withLock { $0.connections += 1 } }
    func connectionClosed() { state.withLock { $0.connections -= 1 } }
    func requestBegan() { state.withLock { $0.requests += 1 } }
    func requestEnded() { state.withLock { $0.requests -= 1 } }

    /// Returns once no request is without an answer, or after a time.
    func drain(atMost seconds: Double) async {
        state.withLock { $0.isDraining = true }
        let end = ContinuousClock.now + .seconds(seconds)
        while requests > 0, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
    }
}
