import AudioCore
import Degradations
import Matchers

/// A recorded query: a file or a part of one, and its truth from a list.
package struct RecordedQuery: Hashable, Sendable {
    package struct Right: Hashable, Sendable {
        package var id: String
        /// Reference time in seconds at the query's first sample; nil where the list does not say.
        package var offsetSeconds: Double?
    }

    package var name: String
    /// Where the file is; nil when it was not found.
    package var path: String?
    /// SHA-256 of its bytes, in hexadecimal; nil when they cannot be read.
    package var sha256: String?
    /// Which seconds of the file are the query; nil takes all of it.
    package var part: ClosedRange<Double>?
    /// The length in seconds, by the list or the file; nil when neither says.
    package var seconds: Double?
    package var rights: [Right]
    /// The place in the first right reference, as far as it is known.
    package var truth: Truth
    package var problem: String?
    /// What was done to it before it was recorded, as far as the list says; it decides no sample.
    package var chain = DegradationChain()

    package var isUnusable = false

    /// Whether a reference holds the query, as far as is known before it is decoded.
    package var isUsablePositive: Bool { !rights.isEmpty && problem == nil }

    /// The beginning of the query alone.
    package func first(seconds: Double) -> RecordedQuery {
        var first = self
        let start = part?.lowerBound ?? 0
        first.part = start...(start + seconds)
        return first
    }

    /// What of the query and its truth is not in the file's bytes, for digests.
    var truthParts: [String] {
        [description] + rights.map { "\($0.id) \(String(describing: $0.offsetSeconds))" }
    }

    /// The query's values except the file's bytes, for digests.
    package var description: String {
        let part = part.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "whole"
        let skew = "\(String(describing: truth.frequencySkew)) \(String(describing: truth.timeSkew))"
        let tolerance = String(describing: truth.offsetToleranceSeconds)
        return "\(part); at \(String(describing: truth.offsetSeconds)) \(tolerance); skew \(skew)"
    }
}
