import Synchronization

/// A bucket of requests for each client, which fills at a steady rate.
final class RateLimiter: Sendable {
    private struct Bucket {
        var requests: Double
        var at: ContinuousClock.Instant
    }

    /// Clients whose buckets are full again are forgotten beyond this number.
    private static let mostClients = 65_536

    private let rate: Double
    private let burst: Double
    private let buckets = Mutex<[String: Bucket]>([:])

    /// Allows `rate` requests a second, and twice as many at once; 0 allows all.
    init(rate: Double) {
        self.rate = rate
        burst = max(1, 2 * rate)
    }

    /// Whether a client may make a request now.
    func allows(_ client: String, at now: ContinuousClock.Instant = .now) -> Bool {
        guard rate > 0 else { return true }
        return buckets.withLock { buckets in
            if buckets.count >= Self.mostClients, buckets[client] == nil { forgetFull(&buckets, now) }
            let bucket = buckets[client] ?? Bucket(requests: burst, at: now)
            let requests = filled(bucket, now)
            buckets[client] = Bucket(requests: requests < 1 ? requests : requests - 1, at: now)
            return requests >= 1
        }
    }

    private func filled(_ bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
        min(burst, bucket.requests + rate * ((now - bucket.at) / .seconds(1)))
    }

    private func forgetFull(_ buckets: inout [String: Bucket], _ now: ContinuousClock.Instant) {
        buckets = buckets.filter { filled($0.value, now) < burst }
        // More clients at once are an attack, and not to be searched at each request. All are then counted from the start.
        if buckets.count > Self.mostClients / 2 { buckets = [:] }
    }
}
