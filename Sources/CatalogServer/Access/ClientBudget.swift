import EarshotKit
import Synchronization

/// An amount that clients share: connections, requests or bytes.
///
/// All together have at most one amount, and each client at most another.
final class ClientBudget: Sendable {
    private struct State {
        var all = 0
        var perClient: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let noun: String
    private let most: Int
    private let perClient: Int

    /// - Parameter perClient: The most of one client; 0 for no limit of its own.
    init(_ noun: String, most: Int, perClient: Int) {
        self.noun = noun
        self.most = most
        self.perClient = perClient == 0 ? .max : perClient
    }

    convenience init(_ noun: String, most: CatalogLimit, perClient: CatalogLimit) {
        self.init(noun, most: most.count, perClient: perClient.count)
    }

    /// What all clients have of it.
    var taken: Int { state.withLock { $0.all } }

    /// What a client has of it, nothing at first; it goes back when the value goes away.
    func share(of client: String) -> Share { Share(self, client) }

    final class Share: Sendable {
        private let budget: ClientBudget
        private let client: String
        private let amount = Mutex(0)

        fileprivate init(_ budget: ClientBudget, _ client: String) {
            self.budget = budget
            self.client = client
        }

        deinit { budget.giveBack(amount.withLock(\.self), client) }

        /// Takes more of the budget.
        ///
        /// - Throws: `CatalogFault` if the client or all together have as much as they may.
        func take(_ more: Int) throws(CatalogFault) {
            if let fault = budget.take(more, client) { throw fault }
            amount.withLock { $0 += more }
        }
    }

    private func take(_ more: Int, _ client: String) -> CatalogFault? {
        state.withLock { state in
            let own = state.perClient[client, default: 0]
            guard own + more <= perClient else {
                return CatalogFault(
                    .tooManyRequests, "this address has too many \(noun) at the server",
                    remedy: "Wait for answers, and try again after a second.")
            }
            guard state.all + more <= most else {
                return CatalogFault(
                    .overloaded, "the server has too many \(noun)", remedy: "Try again after a second.")
            }
            state.perClient[client] = own + more
            state.all += more
            return nil
        }
    }

    private func giveBack(_ amount: Int, _ client: String) {
        guard amount > 0 else { return }
        state.withLock { state in
            state.all -= amount
            let own = state.perClient[client, default: 0] - amount
            state.perClient[client] = own > 0 ? own : nil
        }
    }
}
