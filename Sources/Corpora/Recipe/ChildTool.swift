import Foundation
import SystemIO

struct ChildTool: Sendable {
    let name: String
    /// What a failed command means; a missing one always means `unavailable`.
    let failure: CorpusError.Code

    private static let timeoutSeconds = 86_400.0

    /// Runs the command in `folder`, in the C locale, in a separate thread.
    ///
    /// - Returns: Standard output, at most 1 MiB.
    /// - Throws: ``CorpusError`` with the end of standard error.
    func run(_ arguments: [String], in folder: String) async throws -> String {
        let command = ([name] + arguments).joined(separator: " ")
        let result = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [name] in
                continuation.resume(
                    returning: Result { () throws(ProcessStart.Failure) in
                        try ChildProcess.run(
                            "env", ["-C", folder, "LC_ALL=C", name] + arguments,
                            timeoutSeconds: Self.timeoutSeconds, maximumOutputBytes: 1 << 20)
                    })
            }
        }
        switch result {
        case .failure(let error):
            throw CorpusError(.unavailable, "`\(command)` cannot be run: \(error)")
        case .success(let child) where child.end == .exited(0):
            return String(decoding: child.output, as: UTF8.self)
        case .success(let child):
            let isMissing = [.exited(126), .exited(127)].contains(child.end)
            let tail = child.complaint.split(separator: "\n").suffix(3).joined(separator: "; ")
            throw CorpusError(
                isMissing ? .unavailable : failure, "`\(command)` failed (\(child.end)): \(tail)")
        }
    }
}
