import AudioCore
import Synchronization

/// Limits the memory of an audit.
///
/// Waveforms take 16 kB a second and the matcher's references about 4 kB, so an hour takes 72 MB.
package final class AuditMemory: Sendable {
    package static let bytesPerSecond = 20_000.0

    private struct Held: Sendable {
        var recordings = 0
        var seconds = 0.0
    }

    private let limit: Double
    private let count: Int
    private let held = Mutex(Held())

    /// - Parameters:
    ///   - limit: The most bytes that may be taken.
    ///   - durations: The length of each recording in seconds, nil where it is not known yet.
    /// - Throws: ``CorpusError`` with code `tooLarge` when what is known is beyond the limit already.
    package init(limit: Int, durations: [Double?]) throws {
        self.limit = Double(limit)
        count = durations.count
        let known = durations.compactMap(\.self).reduce(0, +)
        try check(seconds: known)
    }

    /// Counts a recording that is held from now on.
    ///
    /// - Throws: ``CorpusError`` with code `tooLarge` when there is no room, or when the first 64 recordings
    ///   show that there will be none by far.
    package func hold(seconds: Double) throws {
        let now = held.withLock { held in
            held.recordings += 1
            held.seconds += seconds
            return held
        }
        try check(seconds: now.seconds)
        let projected = now.seconds / Double(now.recordings) * Double(count)
        if now.recordings == 64 { try check(seconds: projected / 2, estimate: projected) }
    }

    private func check(seconds: Double, estimate: Double? = nil) throws {
        guard seconds * Self.bytesPerSecond > limit else { return }
        let wanted = Self.gigabytes((estimate ?? seconds) * Self.bytesPerSecond)
        let hours = Int(bounded: ((estimate ?? seconds) / 3600).rounded())
        throw CorpusError(
            .tooLarge,
            "\(count) recordings, \(estimate == nil ? "at least" : "about") \(hours) hours, need \(wanted) GB of memory; "
                + "the limit is \(Self.gigabytes(limit)) GB"
        )
    }

    private static func gigabytes(_ bytes: Double) -> String {
        let tenths = Int(bounded: (bytes / 1e8).rounded(.up))
        return "\(tenths / 10).\(tenths % 10)"
    }
}
