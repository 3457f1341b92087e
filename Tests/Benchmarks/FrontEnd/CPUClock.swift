import Glibc

/// CPU time of the process, in seconds.
enum CPUClock {
    static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
    }
}

/// Pieces of work timed in turn in many rounds, so that all of them have the same disturbances.
struct Race {
    private var runners: [(name: String, work: () throws -> Void)] = []

    /// Adds a piece of work.
    mutating func add(_ name: String, _ work: @escaping () throws -> Void) { runners.append((name, work)) }

    /// The least CPU time of each piece in `repetitions` rounds, in seconds, by name.
    func run(repetitions: Int) throws -> [String: Double] {
        var best: [String: Double] = [:]
        for _ in 0..<max(1, repetitions) {
            for runner in runners {
                let start = CPUClock.seconds
                try runner.work()
                best[runner.name] = min(best[runner.name] ?? .infinity, CPUClock.seconds - start)
            }
        }
        return best
    }
}
