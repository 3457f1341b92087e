import Foundation
import Synchronization

/// A clock that stands still while this process does: stopped by a signal, or with its machine.
///
/// A thread looks at the time every tenth of a second. Where it could not for more than two seconds, this process did not run.
/// On a machine with too much work that may happen too, and means the same: what waited meanwhile is not to blame.
package enum RunningClock {
    private struct State {
        /// When somebody looked last, in seconds of the wall's clock, which goes on.
        var seen = 0.0
        var stopped = 0.0
    }

    private static let step = 0.1
    private static let longestStep = 2.0
    private static let began = ContinuousClock.now

    private static let state = {
        let state = Shared()
        Thread.detachNewThread {
            while true {
                _ = state.look()
                Thread.sleep(forTimeInterval: step)
            }
        }
        return state
    }()

    private final class Shared: Sendable {
        private let state = Mutex(State())

        init() { _ = began }

        func look() -> (running: Double, stopped: Double) {
            state.withLock { state in
                let now = (ContinuousClock.now - began) / .seconds(1)
                let passed = now - state.seen
                if passed > longestStep { state.stopped += passed - step }
                state.seen = now
                return (now - state.stopped, state.stopped)
            }
        }
    }

    /// Seconds that this process ran.
    package static var seconds: Double { state.look().running }

    /// Seconds that it stood still.
    package static var stoppedSeconds: Double { state.look().stopped }
}
