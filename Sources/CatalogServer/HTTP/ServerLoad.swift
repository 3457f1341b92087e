import Glibc
import Synchronization

/// How much the server does at the moment.
final class ServerLoad: Sendable {
    private struct State {
        var connections = 0
        var perAddress: [String: Int] = [:]
        var requests = 0
        var isDraining = false
    }

    private let state = Mutex(State())
    private let mostConnections: Int
    private let connectionsPerAddress: Int

    /// Takes as many connections as the process may open files, less some for catalogs.
    ///
    /// - Parameter connectionsPerAddress: The most of one address; 0 for no limit.
    init(connectionsPerAddress: Int) {
        self.connectionsPerAddress = connectionsPerAddress
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        mostConnections = max(64, Int(min(limit.rlim_cur, 65_536)) - 256)
    }

    var connections: Int { state.withLock { $0.connections } }
    /// The requests that have no answer yet.
    var requests: Int { state.withLock { $0.requests } }
    /// Whether the server is about to end: answers close their connections.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Counts a new connection; false if there are too many, of this address or of all.
    func connectionOpened(from address: String) -> Bool {
        state.withLock { state in
            state.connections += 1
            state.perAddress[address, default: 0] += 1
            return state.connections <= mostConnections
                && (connectionsPerAddress == 0
                    || state.perAddress[address, default: 0] <= connectionsPerAddress)
        }
    }

    func connectionClosed(from address: String) {
        state.withLock { state in
            state.connections -= 1
            state.perAddress[address, default: 0] -= 1
            if state.perAddress[address] == 0 { state.perAddress[address] = nil }
        }
    }

    func requestBegan() { state.withLock { $0.requests += 1 } }
    func requestEnded() { state.withLock { $0.requests -= 1 } }

    /// Returns once no request is without an answer, or after a time.
    func drain(atMost seconds: Double) async {
        state.withLock { $0.isDraining = true }
        let end = ContinuousClock.now + .seconds(seconds)
        while requests > 0, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
    }
}
