import Fingerprinting

/// What a server says of its catalog: the answer to `GET /v1/catalog`.
package struct CatalogFacts: Codable, Equatable, Sendable {
    package let references: Int
    package let hours: Double
    /// In hexadecimal, because JSON has no integers of 64 bits.
    package let analysisIdentity: String
    package let engineVersion: String
    package let minimumQuerySeconds: Double
    package let maximumQuerySeconds: Double
    /// Grows with every change of the catalog while the server runs.
    package let generation: Int
    /// Whether parts of the catalog cannot be asked.
    package let isPartial: Bool
    /// Whether the server takes audio in place of signatures.
    package var acceptsAudio = false

    /// The lengths of queries that servers accept, in seconds.
    package static let queryDurations: ClosedRange<TimeInterval> = 1...12

    package init(references: Int, hours: Double, generation: Int, isPartial: Bool) {
        self.references = references
        self.hours = hours
        self.generation = generation
        self.isPartial = isPartial
        analysisIdentity = Self.text(ofIdentity: Settings().analysis.identity)
        engineVersion = Settings.engineVersion
        minimumQuerySeconds = Self.queryDurations.lowerBound
        maximumQuerySeconds = Self.queryDurations.upperBound
    }

    package static func text(ofIdentity identity: UInt64) -> String { String(identity, radix: 16) }
}

/// What the body of a request may not exceed.
package enum CatalogLimit {
    package static let bodyBytes = 1 << 16
    /// The most seconds of a reference in one answer.
    package static let followSeconds = 120.0
}
