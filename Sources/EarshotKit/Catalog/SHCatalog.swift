import Synchronization

/// What queries are looked up in.
///
/// The one kind of catalog there is to make is `SHCustomCatalog`.
///
/// Sendable because what can change is under a lock.
public class SHCatalog: NSObject, @unchecked Sendable {
    private let limits: Mutex<ClosedRange<TimeInterval>>

    /// Takes the shortest and longest query in seconds.
    package init(queryDurations: ClosedRange<TimeInterval> = 1...3600) { limits = Mutex(queryDurations) }

    /// The length in seconds of the shortest query that the catalog takes: 1 unless set otherwise.
    public var minimumQuerySignatureDuration: TimeInterval { queryDurations.lowerBound }

    /// The length in seconds of the longest query that the catalog takes: 3,600 unless set otherwise.
    public var maximumQuerySignatureDuration: TimeInterval { queryDurations.upperBound }

    /// The lengths of queries that the catalog takes, in seconds; both ends are allowed.
    ///
    /// May be set at any time, and counts for the queries that follow; it is not stored with the catalog.
    public var queryDurations: ClosedRange<TimeInterval> {
        get { limits.withLock { $0 } }
        set { limits.withLock { $0 = newValue } }
    }
}
