/// Runs blocking work outside the concurrency pool, whose threads must not block.
func onBlockingThread<T: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> T
) async throws(Failure) -> T {
    let result = await withCheckedContinuation { continuation in
        DispatchQueue.global(qos: .userInitiated).async {
            continuation.resume(returning: Result(catching: body))
        }
    }
    return try result.get()
}
