import Synchronization

/// Outcomes of a stream on their way out: told one after the other in the order they came, though audio and the clock
/// bring them on several threads.
final class ResultOutbox: Sendable {
    private struct State {
        var waiting: [SHSession.Result] = []
        var isEmptying = false
    }

    private let state = Mutex(State())

    /// Adds outcomes behind those that wait.
    func post(_ results: [SHSession.Result]) { state.withLock { $0.waiting += results } }

    /// Tells all that wait, unless another thread, or a caller of this one, is at it: it then tells these too.
    func empty(_ tell: (SHSession.Result) -> Void) {
        guard state.withLock({ begin(&$0) }) else { return }
        while let next = state.withLock({ next(&$0) }) { tell(next) }
    }

    private func begin(_ state: inout State) -> Bool {
        defer { state.isEmptying = true }
        return !state.isEmptying
    }

    private func next(_ state: inout State) -> SHSession.Result? {
        guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
        state.isEmptying = false
        return nil
    }
}
