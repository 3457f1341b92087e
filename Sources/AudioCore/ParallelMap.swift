#if canImport(Dispatch)
    import Dispatch
    import Synchronization

    /// Maps items in parallel; the result does not depend on the number of threads.
    public enum ParallelMap {
        /// Maps 0 ..< `count` on up to `jobs` threads; the results are in order.
        ///
        /// After a failure it starts no further item. Of several failures it throws that of the earliest item.
        /// `progress` gets the number of finished items, from any thread, one call at a time.
        public static func map<T: Sendable>(
            _ count: Int, jobs: Int, progress: @Sendable (Int) -> Void = { _ in },
            _ body: @Sendable (Int) throws -> T
        ) throws -> [T] {
            let state = Mutex(State<T>(results: Array(repeating: nil, count: count)))
            DispatchQueue.concurrentPerform(iterations: max(1, min(jobs, count))) { _ in
                while true {
                    let item = state.withLock { state -> Int? in
                        guard state.next < count, state.failure == nil else { return nil }
                        defer { state.next += 1 }
                        return state.next
                    }
                    guard let item else { return }
                    let result = Result { try body(item) }
                    state.withLock { state in
                        switch result {
                        case .success(let value): state.results[item] = value
                        case .failure(let error) where item < state.failedAt:
                            state.failedAt = item
                            state.failure = error
                        case .failure: break
                        }
                        state.done += 1
                        progress(state.done)
                    }
                }
            }
            return try state.withLock { state in
                if let failure = state.failure { throw failure }
                return state.results.compactMap { $0 }
            }
        }

        /// Maps items grouped by source, so that a cache of decoded sources needs to hold few.
        ///
        /// The results are in the order of `sources`. Failures and `progress` work as in the other form.
        public static func map<T: Sendable>(
            bySource sources: [String], jobs: Int, progress: @Sendable (Int) -> Void = { _ in },
            _ body: @Sendable (Int) throws -> T
        ) throws -> [T] {
            let order = sources.indices.sorted { (sources[$0], $0) < (sources[$1], $1) }
            let results = try map(order.count, jobs: jobs, progress: progress) { try body(order[$0]) }
            return zip(order, results).sorted { $0.0 < $1.0 }.map(\.1)
        }

        private struct State<T: Sendable>: Sendable {
            var next = 0
            var done = 0
            var failedAt = Int.max
            var failure: (any Error)?
            var results: [T?]
        }
    }
#endif
