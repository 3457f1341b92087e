import Corpora
import Foundation
import Synchronization
import SystemIO

/// Shows how a fetch goes on standard error: one line that is rewritten on a terminal, plain lines elsewhere.
final class FetchDisplay: Sendable {
    private let isTerminal = StandardError.isTerminal
    private let started = Mutex<Set<String>>([])

    /// Shows one step; may be called from any thread.
    @Sendable func show(_ progress: CorpusFetcher.Progress) {
        switch progress {
        case .present(let package, let files):
            StandardError.print("\(package): \(files.counting("file is", "files are")) in the cache")
        case .downloading(let package, let bytes, let total):
            let size = total.map { " of \(Self.megabytes($0))" } ?? ""
            if isTerminal {
                StandardError.write("\r\u{1B}[K\(package): downloading \(Self.megabytes(bytes))\(size)")
            } else if started.withLock({ $0.insert(package).inserted }) {
                StandardError.print("\(package): downloading \(total.map(Self.megabytes) ?? "")")
            }
        case .unpacking(let package):
            if isTerminal { StandardError.write("\r\u{1B}[K\(package): unpacking") }
        case .installed(let package, let files):
            if isTerminal { StandardError.write("\r\u{1B}[K") }
            StandardError.print("\(package): \(files.counting("file")) fetched")
        }
    }

    private static func megabytes(_ bytes: Int) -> String { "\((bytes + 500_000) / 1_000_000) MB" }
}
