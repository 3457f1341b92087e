import AudioCore
import Fingerprinting

/// A limit of a catalog server.
///
/// The list is the only place that states them: the server, `earshot serve --help`, `/metrics` and the server's article
/// take them from here.
package struct CatalogLimit: Sendable {
    package enum Unit: Sendable {
        case bytes, seconds, number
    }

    /// The name among the figures of `/metrics`.
    package let name: String
    package let value: Double
    package let unit: Unit
    /// What has at most this value.
    package let meaning: String

    private init(_ name: String, _ value: Double, _ unit: Unit, _ meaning: String) {
        self.name = name
        self.value = value
        self.unit = unit
        self.meaning = meaning
    }

    private init(_ name: String, bytes: Int, _ meaning: String) {
        self.init(name, Double(bytes), .bytes, meaning)
    }

    /// The value as a whole number.
    package var count: Int { Int(bounded: value) }

    package static let queryBytes = CatalogLimit("query_bytes", bytes: 64 << 10, "The body of a query")
    /// 12 s of stereo at 48 kHz in 24 bits.
    package static let audioBytes = CatalogLimit(
        "audio_bytes", bytes: 4 << 20, "The body of audio, with --accept-audio")
    /// Some hours of audio.
    package static let referenceBytes = CatalogLimit(
        "reference_bytes", bytes: 16 << 20, "The body of a reference, with --store")
    package static let headerBytes = CatalogLimit(
        "header_bytes", bytes: 32 << 10, "The headers of a request")
    /// Music has about 100, noise 175, and both some more at their ends.
    package static let queryPeaks = CatalogLimit(
        "query_peaks_per_second", 200, .number, "Peaks of a query a second, and as many again at its ends")
    package static let followSeconds = CatalogLimit(
        "follow_seconds", 120, .seconds, "The peaks of a reference in an answer")

    package static let pipelined = CatalogLimit(
        "pipelined_requests", 16, .number, "Requests of a connection that wait for its answer")
    package static let requestsOfAddress = CatalogLimit(
        "requests_per_address", 64, .number, "Whole requests of an address that have no answer")
    package static let requests = CatalogLimit(
        "requests", 512, .number, "Whole requests of all addresses that have no answer")
    package static let queryBytesOfAddress = CatalogLimit(
        "queries_bytes_per_address", bytes: 4 << 20, "Bodies of queries of an address that have no answer")
    package static let queryBytesOfAll = CatalogLimit(
        "queries_bytes", bytes: 16 << 20, "Bodies of queries of all addresses that have no answer")
    package static let uploadBytesOfAddress = CatalogLimit(
        "uploads_bytes_per_address", bytes: 16 << 20,
        "Bodies of audio and references of an address that have no answer")
    package static let uploadBytesOfAll = CatalogLimit(
        "uploads_bytes", bytes: 32 << 20,
        "Bodies of audio and references of all addresses that have no answer")
    package static let answerBytesOfAddress = CatalogLimit(
        "answers_bytes_per_address", bytes: 8 << 20, "Answers that an address has not taken")
    package static let answerBytesOfAll = CatalogLimit(
        "answers_bytes", bytes: 32 << 20, "Answers that all addresses have not taken")
    package static let waitSeconds = CatalogLimit(
        "wait_seconds", 5, .seconds, "The wait of a query for its turn; addresses take turns")
    package static let hops = CatalogLimit(
        "hops", 4, .number, "Servers that pass a query on, one to the next")

    /// Defaults of options.
    package static let requestsPerSecond = CatalogLimit(
        "requests_per_second", 50, .number, "Requests a second of an address, and of a token")
    package static let connectionsOfAddress = CatalogLimit(
        "connections_per_address", 256, .number, "Connections of an address")
    package static let patienceSeconds = CatalogLimit(
        "patience_seconds", 10, .seconds,
        "The wait for a request, for its rest, and for its answer to be taken")

    /// The size of a catalog can be this, in hours.
    package static let hours = 0...1e9

    /// Those that options of `earshot serve` do not change.
    package static let fixed = [
        queryBytes, audioBytes, referenceBytes, headerBytes, queryPeaks, followSeconds, pipelined,
        requestsOfAddress, requests, queryBytesOfAddress, queryBytesOfAll, uploadBytesOfAddress,
        uploadBytesOfAll, answerBytesOfAddress, answerBytesOfAll, waitSeconds, hops,
    ]

    /// "64 kB", "5 s" or "512".
    package var text: String {
        switch unit {
        case .bytes: count >= 1 << 20 ? "\(count >> 20) MB" : "\(count >> 10) kB"
        case .seconds: "\(count) s"
        case .number: "\(count)"
        }
    }
}

extension Signature {
    /// Whether it has more peaks than audio has in the time between its first and last peak.
    package var isDense: Bool {
        guard let first = peaks.first, let last = peaks.last else { return false }
        let seconds = Double(last.time - first.time) * Self.timeUnit
        return Double(peaks.count) > CatalogLimit.queryPeaks.value * (seconds + 1)
    }
}
