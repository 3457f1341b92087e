import EarshotKit
import Glibc
import Synchronization

/// What clients have of the server at the moment, and whether it is about to end.
final class ServerLoad: Sendable {
    let connections: ClientBudget
    /// Whole requests without an answer.
    let requests = ClientBudget(
        "requests", most: .requests, perClient: .requestsOfAddress)
    /// Bytes of requests without an answer.
    let queryBytes = ClientBudget(
        "bytes of queries", most: .queryBytesOfAll, perClient: .queryBytesOfAddress)
    let uploadBytes = ClientBudget(
        "bytes of audio and references", most: .uploadBytesOfAll, perClient: .uploadBytesOfAddress)
    /// Bytes of answers that clients have not taken.
    let answerBytes = ClientBudget(
        "bytes of answers", most: .answerBytesOfAll, perClient: .answerBytesOfAddress)
    private let unanswered = Atomic(0)
    private let draining = Atomic(false)

    /// Takes as many connections as the process may open files, less some for catalogs.
    ///
    /// - Parameter connectionsPerAddress: The most of one address; 0 for no limit.
    init(connectionsPerAddress: Int) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        connections = ClientBudget(
            "connections", most: max(64, Int(min(limit.rlim_cur, 65_536)) - 256),
            perClient: connectionsPerAddress)
    }

    /// Whether the server is about to end: answers close their connections.
    var isDraining: Bool { draining.load(ordering: .relaxed) }
    /// The requests whose answer has not been taken.
    var unansweredRequests: Int { unanswered.load(ordering: .relaxed) }

    func requestBegan() { unanswered.add(1, ordering: .relaxed) }
    func requestEnded() { unanswered.subtract(1, ordering: .relaxed) }

    /// Returns once all answers have been taken, or after a time.
    func drain(atMost seconds: Double) async {
        draining.store(true, ordering: .relaxed)
        let end = ContinuousClock.now + .seconds(seconds)
        while unansweredRequests > 0, ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
