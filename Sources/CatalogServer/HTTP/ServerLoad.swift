import EarshotKit
import Synchronization
import SystemIO

/// What clients have of the server at the moment, and whether it is about to end.
final class ServerLoad: Sendable {
    /// One more is open while another closes.
    let mostConnections: Int
    let connections: ClientBudget
    let waiting = WaitingConnections()
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

    /// What the server opens once it runs: where it listens, signals, timers, states of threads, a connection more than may
    /// stay, and files of a catalog or store that changes.
    private static var ownDescriptors: Int { max(14, OpenFiles.limit / 16) }
    private static let leastConnections = 2

    /// Allows as many connections as the descriptors that are left.
    ///
    /// - Parameters:
    ///   - connectionsPerAddress: The most of one address; 0 for no limit.
    ///   - reserved: The descriptors for requests to be answered.
    /// - Throws: ``StartError`` if too few are left.
    init(connectionsPerAddress: Int, reserved: Int) throws(StartError) {
        let taken = OpenFiles.count + Self.ownDescriptors + reserved
        mostConnections = OpenFiles.limit - taken
        guard mostConnections >= Self.leastConnections else {
            throw StartError(
                description: "the limit of open files is \(OpenFiles.limit), and this server needs"
                    + " \(taken + Self.leastConnections). Raise the limit (ulimit -n)")
        }
        connections = ClientBudget(
            "connections", most: mostConnections + 1, perClient: connectionsPerAddress)
    }

    /// Why a server cannot start.
    struct StartError: Error, CustomStringConvertible {
        let description: String
    }

    /// Whether answers close their connections, because the server is about to end or others wait for one.
    var endsConnections: Bool {
        draining.load(ordering: .relaxed) || connections.taken >= mostConnections
    }
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
