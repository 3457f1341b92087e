import Synchronization

/// Records or plays on a thread of its own until it is stopped or fails.
package final class AudioThread: Sendable {
    /// The longest wait of ``stop()`` for what the thread calls, in seconds.
    package static let longestWaitSeconds = 2.0

    private enum State {
        case running
        case stopping
        case ended
    }

    private let close: @Sendable () -> Void
    private let state = Mutex(State.running)
    private let ended = DispatchSemaphore(value: 0)
    private let threadMark = Mutex<ObjectIdentifier?>(nil)

    /// Starts `run`, which returns when its argument says that the thread has been stopped.
    ///
    /// `close` releases the device and wakes those who wait for it. It is called at the end, and by ``stop()``. If `run`
    /// throws without a stop, `onFailure` follows once, after the close.
    package init(
        name: String, close: @escaping @Sendable () -> Void,
        run: @escaping @Sendable (_ isRunning: () -> Bool) throws -> Void,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.close = close
        let thread = Thread { [self] in
            threadMark.withLock { $0 = ObjectIdentifier(Thread.current) }
            let outcome = Result { try run { state.withLock { $0 == .running } } }
            close()
            let wasStopped = state.withLock { state in
                defer { state = .ended }
                return state == .stopping
            }
            ended.signal()
            if case .failure(let error) = outcome, !wasStopped { onFailure(error) }
        }
        thread.name = name
        thread.start()
    }

    package var hasEnded: Bool { state.withLock { $0 == .ended } }

    /// Stops and releases the device.
    ///
    /// Waits up to ``longestWaitSeconds`` for what the thread calls, because that may be waiting for the caller. Does not
    /// wait when called on the thread.
    package func stop() {
        let mustWait = state.withLock { state in
            guard state == .running else { return false }
            state = .stopping
            return true
        }
        close()
        let isOwnThread = threadMark.withLock { $0 == ObjectIdentifier(Thread.current) }
        if mustWait, !isOwnThread {
            _ = ended.wait(timeout: .now() + Self.longestWaitSeconds)
        }
    }
}
