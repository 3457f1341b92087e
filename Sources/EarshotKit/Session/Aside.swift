import Foundation

/// Runs what may take its time on a thread that may wait, for those of the concurrency pool may not.
func aside<T: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> T
) async throws(Failure) -> T {
    let result = await withCheckedContinuation { continuation in
        DispatchQueue.global(qos: .userInitiated).async {
            continuation.resume(returning: Result(catching: body))
        }
    }
    return try result.get()
}
