/// When the samples of a stream were heard, by a clock.
///
/// A buffer comes once all of it was heard, and sometimes later: the buffer that came with the least delay says when
/// samples are heard, unless all those of the latest 10 s came later.
struct StreamArrival {
    private static let memorySeconds = 10.0

    private var delays: [(atSeconds: TimeInterval, delay: TimeInterval)] = []
    /// How much of the stream had come, in seconds.
    private var heardSeconds = 0.0
    /// When the latest buffer came.
    private(set) var latestSeconds = 0.0

    /// Notes that the stream has come up to a time.
    mutating func note(heardSeconds: Double, atSeconds now: TimeInterval) {
        self.heardSeconds = heardSeconds
        latestSeconds = now
        let delay = now - heardSeconds
        // What is later and not less will never again be the least.
        delays.removeAll { $0.delay >= delay || now - $0.atSeconds > Self.memorySeconds }
        delays.append((now, delay))
    }

    /// The time in the stream of what was being heard when the latest buffer came.
    var latestHeardSeconds: Double {
        guard let least = delays.first?.delay else { return 0 }
        return latestSeconds - least
    }
}
