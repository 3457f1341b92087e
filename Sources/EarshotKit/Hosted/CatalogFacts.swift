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
    /// The names of the servers that a query is passed on to, that of the server first; they are new at each start.
    package let servers: [String]

    /// The lengths of queries that servers accept, in seconds.
    package static let queryDurations: ClosedRange<TimeInterval> = 1...12

    package init(references: Int, hours: Double, generation: Int, isPartial: Bool, servers: [String]) {
        self.references = references
        self.hours = hours
        self.generation = generation
        self.isPartial = isPartial
        self.servers = servers
        analysisIdentity = Self.text(ofIdentity: Settings().analysis.identity)
        engineVersion = Settings.engineVersion
        minimumQuerySeconds = Self.queryDurations.lowerBound
        maximumQuerySeconds = Self.queryDurations.upperBound
    }

    package static func text(ofIdentity identity: UInt64) -> String { String(identity, radix: 16) }
}

extension CatalogFacts {
    private static let mostServers = 4096

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        references = try container.decode(.references, in: AnswerRange.counts)
        hours = try container.decode(.hours, in: AnswerRange.hours)
        analysisIdentity = try container.decode(String.self, forKey: .analysisIdentity)
        engineVersion = try container.decode(String.self, forKey: .engineVersion)
        minimumQuerySeconds = try container.decode(.minimumQuerySeconds, in: AnswerRange.hours)
        maximumQuerySeconds = try container.decode(.maximumQuerySeconds, in: AnswerRange.hours)
        generation = try container.decode(.generation, in: AnswerRange.generations)
        isPartial = try container.decode(Bool.self, forKey: .isPartial)
        acceptsAudio = try container.decode(Bool.self, forKey: .acceptsAudio)
        // Servers of earlier versions do not name them.
        servers = try container.decodeIfPresent([String].self, forKey: .servers) ?? []
        guard servers.count <= Self.mostServers else {
            throw DecodingError.dataCorruptedError(
                forKey: .servers, in: container, debugDescription: "\(servers.count) servers")
        }
    }
}
