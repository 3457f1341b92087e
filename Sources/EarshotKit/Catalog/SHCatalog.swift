import Fingerprinting
import Synchronization

/// A catalog to match queries against; see ``SHCustomCatalog`` and <doc:HostedCatalog>.
///
/// Sendable: mutable state is behind a lock.
public class SHCatalog: NSObject, @unchecked Sendable {
    private let limits: Mutex<ClosedRange<TimeInterval>>
    private let allItems = Mutex(false)

    /// Makes a catalog with the shortest and longest query in seconds.
    package init(queryDurations: ClosedRange<TimeInterval>) { limits = Mutex(queryDurations) }

    /// Makes a catalog that is not online.
    package convenience override init() { self.init(queryDurations: Self.usualDurations) }

    static let usualDurations = 1.0...3600

    /// The shortest query in seconds; default: 1.
    public var minimumQuerySignatureDuration: TimeInterval { queryDurations.lowerBound }

    /// The longest query in seconds; default: 3,600.
    public var maximumQuerySignatureDuration: TimeInterval { queryDurations.upperBound }

    /// The accepted query lengths in seconds, both ends included.
    ///
    /// A change applies to later queries. Catalog files do not store it.
    public var queryDurations: ClosedRange<TimeInterval> {
        get { limits.withLock { $0 } }
        set { limits.withLock { $0 = newValue } }
    }

    /// Whether matches have the media items outside their time and skew ranges too.
    package var showsAllItems: Bool {
        get { allItems.withLock { $0 } }
        set { allItems.withLock { $0 = newValue } }
    }

    // MARK: - What sessions do with a catalog

    /// The reason why no query can be asked; nil if one can.
    package var fault: SHError? {
        SHError(
            .matchAttemptFailed,
            message: "no catalog is online; set \(HostedCatalog.addressVariable) or write"
                + " ~/.config/earshot/catalog.json, or make the session with an SHCustomCatalog")
    }

    /// Whether a server answers, which may take long.
    var isHosted: Bool { false }

    /// Makes later changes have no effect, because a session uses the catalog.
    package func freeze() {}

    /// Does ahead of the first query what takes long.
    func prepare() {}

    /// All references that contain a query, best first.
    package func matches(of signature: SHSignature) throws -> [Match] {
        throw fault ?? SHError(.internalError)
    }

    /// At which other speed a query without a match is recognised; nil if at none, or if that cannot be known.
    func otherSpeed(of signature: SHSignature) throws -> OtherSpeed? { nil }

    /// The media items of a match's reference, at least those that are wanted; empty if they cannot be read.
    package func items(of match: Match, where isWanted: (MediaItem) -> Bool) -> [SHMediaItem] { [] }

    /// The media item with an identifier from the catalog's host.
    /// - Throws: `SHError` 600 if there is none.
    func item(shazamID: String) throws -> SHMediaItem {
        throw SHError(
            .mediaItemFetchFailed, message: "no catalog is online that has the item \(shazamID)")
    }

    /// A matcher of a stream whose references end after `lostSeconds` without them.
    func streamMatcher(sampleRate: Int, channelCount: Int, lostSeconds: Double) throws -> StreamMatcher {
        throw fault ?? SHError(.internalError)
    }

    /// A matcher of files.
    ///
    /// - Parameter minimumScore: The least score of an answer; nil for all accepted matches.
    package func batchMatcher(minimumScore: Double?) throws -> BatchMatcher {
        throw fault ?? SHError(.internalError)
    }

    /// Throws if the catalog's file was found damaged since it was opened.
    package func requireIntact() throws {}
}
