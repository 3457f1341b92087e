import Synchronization

/// The clock of playback positions: the host's, or one that a program advances.
///
/// With a ``ManualClock`` a test drives a session by the position in a file.
public struct PlaybackClock: Sendable {
    /// The time since an arbitrary start.
    package let now: @Sendable () -> Duration
    /// Returns once `now` has reached a time; throws if the task is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void

    /// Wraps a clock.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// The host's clock, which also runs while the machine sleeps.
    public static let continuous = PlaybackClock(ContinuousClock())

    package var seconds: TimeInterval { now().seconds }
}

/// A clock that only ``advance(by:)`` moves.
///
/// ```swift
/// let clock = ManualClock()
/// let session = SHSession(catalog: catalog, clock: PlaybackClock(clock))
/// for block in blocks {
///     clock.advance(by: .seconds(block.duration))
///     session.matchStreamingBuffer(block.buffer, at: nil)
/// }
/// ```
public final class ManualClock: Clock {
    /// A reading of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let elapsed: Duration

        /// The reading after a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }
        /// The time from this reading to another.
        public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }
        /// Compares the elapsed times.
        public static func < (a: Instant, b: Instant) -> Bool { a.elapsed < b.elapsed }
    }

    private struct State {
        var elapsed = Duration.zero
        var nextSleeper = 0
        var sleepers: [Int: (until: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state = Mutex(State())

    /// Makes a clock at 0.
    public init() {}

    /// The current reading.
    public var now: Instant { Instant(elapsed: state.withLock { $0.elapsed }) }
    /// 0.
    public var minimumResolution: Duration { .zero }

    /// Moves the clock forward and resumes the sleepers that are due.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.elapsed += duration
            let due = state.sleepers.filter { $0.value.until <= state.elapsed }
            for sleeper in due.keys { state.sleepers[sleeper] = nil }
            return due.sorted { $0.value.until < $1.value.until }.map(\.value.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Returns once the clock has reached `deadline`; throws if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let sleeper = state.withLock { state in
            state.nextSleeper += 1
            return state.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isDue = state.withLock { state in
                    guard !Task.isCancelled, state.elapsed < deadline.elapsed else { return true }
                    state.sleepers[sleeper] = (deadline.elapsed, continuation)
                    return false
                }
                guard isDue else { return }
                continuation.resume(with: Result { try Task.checkCancellation() })
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: sleeper) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}

extension Duration {
    package var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) * 1e-18
    }
}

/// The playback position in a reference, linear in the clock's time.
struct PlaybackLine: Sendable {
    let clock: PlaybackClock
    let atSeconds: TimeInterval
    /// The reference time at that reading, in seconds.
    let positionSeconds: TimeInterval
    let rate: Double

    var now: TimeInterval { position(at: clock.seconds) }

    func position(at seconds: TimeInterval) -> TimeInterval { positionSeconds + (seconds - atSeconds) * rate }

    func seconds(ofPosition position: TimeInterval) -> TimeInterval {
        atSeconds + (position - positionSeconds) / rate
    }
}
