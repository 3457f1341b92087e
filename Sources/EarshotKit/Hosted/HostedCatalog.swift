import Fingerprinting
import Synchronization

/// A catalog on a server, which gets signatures and nothing else.
final class HostedCatalog: SHCatalog, @unchecked Sendable {
    static let addressVariable = "EARSHOT_CATALOG_URL"
    static let tokenVariable = "EARSHOT_CATALOG_TOKEN"
    /// How much of a reference a stream gets to follow it, in seconds; it asks again every 15 s.
    private static let followSeconds = 60.0

    private let client: Result<CatalogClient, CatalogClient.Unreachable>
    private let recentItems = Mutex(RecentItems())

    convenience init(address: String, token: String?) {
        self.init(
            Result { () throws(CatalogClient.Unreachable) in
                try CatalogClient(address: address, token: token)
            })
    }

    fileprivate init(_ client: Result<CatalogClient, CatalogClient.Unreachable>) {
        self.client = client
        super.init(queryDurations: CatalogFacts.queryDurations)
    }

    /// A server that nobody has named.
    package override init(queryDurations: ClosedRange<TimeInterval>) {
        client = .failure(CatalogClient.Unreachable("no server is named"))
        super.init(queryDurations: queryDurations)
    }

    package override var fault: SHError? {
        guard case .failure(let error) = client else { return nil }
        return SHError(.matchAttemptFailed, message: "\(error)")
    }

    override var isHosted: Bool { true }

    override func prepare() {
        // An error of the server is that of the next result.
        _ = try? client.get().facts()
    }

    package override func matches(of signature: SHSignature) throws -> [Match] {
        try answers(to: signature.signature)
    }

    package override func items(of match: Match, where isWanted: (MediaItem) -> Bool) -> [SHMediaItem] {
        recentItems.withLock { $0.items(ofReference: match.referenceID) }
    }

    override func streamMatcher(
        sampleRate: Int, channelCount: Int, lostSeconds: Double
    ) throws -> StreamMatcher {
        let remote = RemoteCatalog { [self] signature in
            let reply = try reply(to: signature, followSeconds: Self.followSeconds)
            let answers = try reply.references.enumerated().compactMap { place, reference in
                // Of very many the last ones have no excerpt, and cannot be followed.
                try reference.peaks().map {
                    RemoteCatalog.Answer(match: reference.match(at: place), excerpt: $0)
                }
            }
            return (answers, reply.catalogHours)
        }
        return try StreamMatcher(
            remote: remote, sampleRate: sampleRate, channelCount: channelCount,
            settings: RemoteCatalog.streamSettings(lostSeconds: lostSeconds))
    }

    override func item(shazamID: String) throws -> SHMediaItem {
        do { return try client.get().item(shazamID: shazamID) } catch {
            throw SHError(.mediaItemFetchFailed, message: "\(error)")
        }
    }

    /// The references with at least a score, or the accepted ones.
    ///
    /// A signature longer than servers accept is cut at its end.
    private func reply(
        to signature: Signature, followSeconds: Double? = nil, minimumScore: Double? = nil
    ) throws -> MatchReply {
        let most = CatalogFacts.queryDurations.upperBound
        let query =
            signature.durationSeconds > most
            ? signature.slice(fromSeconds: 0, durationSeconds: most) : signature
        do {
            let reply = try client.get().match(
                query, followSeconds: followSeconds, minimumScore: minimumScore)
            guard !reply.isPartial || !reply.references.isEmpty else {
                throw SHError(
                    .matchAttemptFailed,
                    message:
                        "only parts of the catalog could be asked, and they have no match; try again later")
            }
            recentItems.withLock { $0.add(reply.references) }
            return reply
        } catch let fault as CatalogFault {
            throw fault.shError
        } catch let error as CatalogClient.Unreachable {
            throw SHError(.matchAttemptFailed, message: "\(error)")
        }
    }

    private func answers(to signature: Signature, minimumScore: Double? = nil) throws -> [Match] {
        try reply(to: signature, minimumScore: minimumScore).references.enumerated().map { place, reference in
            reference.match(at: place)
        }
    }

    package override func batchMatcher(minimumScore: Double?) throws -> BatchMatcher {
        if let fault { throw fault }
        return BatchMatcher(
            minimumScore: minimumScore, longestSeconds: CatalogFacts.queryDurations.upperBound
        ) { [self] signature in
            do {
                return try answers(to: signature, minimumScore: minimumScore)
            } catch let error as SHError {
                throw CatalogClient.Unreachable(error.message)
            }
        }
    }
}

/// The media items of the latest references, which a stream may report long after the answer.
private struct RecentItems {
    private static let most = 1024

    private var items: [String: [SHMediaItem]] = [:]
    private var order: [String] = []

    mutating func add(_ references: [MatchReply.Reference]) {
        for reference in references {
            if items.updateValue(reference.items.map(\.item), forKey: reference.reference) != nil {
                order.removeAll { $0 == reference.reference }
            }
            order.append(reference.reference)
        }
        while order.count > Self.most { items[order.removeFirst()] = nil }
    }

    func items(ofReference id: String) -> [SHMediaItem] { items[id] ?? [] }
}

extension SHCatalog {
    /// A catalog on a server; see <doc:HostedCatalog>.
    ///
    /// - Parameters:
    ///   - url: The address of the server, as `https://catalog.example.org`.
    ///   - token: The token that the server asks for, if any.
    public static func hosted(_ url: URL, token: String? = nil) -> SHCatalog {
        HostedCatalog(address: url.absoluteString, token: token)
    }

    /// The catalog that an environment or else the configuration file names; without one, a catalog that is not online.
    package static func configured(
        by environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> SHCatalog {
        if let address = environment[HostedCatalog.addressVariable], !address.isEmpty {
            return HostedCatalog(address: address, token: environment[HostedCatalog.tokenVariable])
        }
        do {
            guard let file = try CatalogConfiguration(environment) else { return SHCatalog() }
            return HostedCatalog(
                address: file.url, token: file.token ?? environment[HostedCatalog.tokenVariable])
        } catch { return HostedCatalog(.failure(error)) }
    }

    /// The catalog that a command line names: files looked up as one, or the address of a server.
    /// - Throws: `SHError` 300 or 301, or 202 for an address beside other names.
    package static func named(_ names: [String]) throws -> SHCatalog {
        guard let address = names.first(where: CatalogClient.isAddress) else {
            return try SHCustomCatalog(merging: names)
        }
        guard names.count == 1 else {
            throw SHError(
                .matchAttemptFailed,
                message: "\(address) and other catalogs cannot be looked up as one; name the server alone")
        }
        return HostedCatalog(address: address, token: CatalogClient.environmentToken)
    }
}
