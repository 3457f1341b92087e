import Synchronization

/// A catalog to match queries against; see ``SHCustomCatalog``.
///
/// Sendable: mutable state is behind a lock.
public class SHCatalog: NSObject, @unchecked Sendable {
    private let limits: Mutex<ClosedRange<TimeInterval>>
    private let allItems = Mutex(false)

    /// Makes a catalog with the shortest and longest query in seconds.
    package init(queryDurations: ClosedRange<TimeInterval> = 1...3600) { limits = Mutex(queryDurations) }

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
}
