import Glibc
import Synchronization

/// Adds up the processor time that threads spend in each stage of a run.
package final class StageClock: Sendable {
    package enum Stage: String, Sendable, CaseIterable {
        /// Decoding, cutting and degrading queries.
        case queries
        /// Inside the contestant.
        case matching
        /// Comparing waveforms if an answer names another place than the truth.
        case judging
        case storing
    }

    private let seconds = Mutex<[Stage: Double]>([:])

    package init() {}

    /// Runs `body` and adds the processor time of this thread to `stage`.
    package func measure<T>(_ stage: Stage, _ body: () throws -> T) rethrows -> T {
        let start = ThreadClock.seconds
        defer {
            let spent = ThreadClock.seconds - start
            seconds.withLock { $0[stage, default: 0] += spent }
        }
        return try body()
    }

    /// Processor seconds by the name of the stage.
    package var secondsByStage: [String: Double] {
        seconds.withLock { Dictionary(uniqueKeysWithValues: $0.map { ($0.key.rawValue, $0.value) }) }
    }
}

/// The processor time of this process, over all its threads.
package enum ProcessClock {
    /// Seconds since the process began.
    package static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// The processor time of the calling thread.
package enum ThreadClock {
    /// Seconds since the thread began.
    package static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
