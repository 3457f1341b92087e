/// A place that a matcher named; positions in samples at ``EquivalenceAudit/sampleRate``.
struct AuditHit: Sendable {
    var query: Int
    var reference: Int
    var queryStart: Int
    var referenceStart: Int
    /// Reference seconds per query second − 1.
    var timeSkew: Double
    var score: Double
    var isAccepted: Bool
}

/// Two recordings by their positions in the list, the smaller first.
struct AuditPair: Hashable, Comparable, Sendable {
    var first: Int
    var second: Int

    init(_ one: Int, _ other: Int) {
        first = min(one, other)
        second = max(one, other)
    }

    static func < (one: AuditPair, other: AuditPair) -> Bool {
        (one.first, one.second) < (other.first, other.second)
    }
}

/// A hit as seen from the first recording of its pair, whichever of the two was the query.
struct PlacedHit: Sendable {
    /// Where the window begins in the first.
    var start: Int
    /// How much further on it begins in the second.
    var distance: Int
    /// Seconds of the second per second of the first − 1.
    var timeSkew: Double
    var score: Double
    var isAccepted: Bool

    init(_ hit: AuditHit, isFirstQuery: Bool) {
        start = isFirstQuery ? hit.queryStart : hit.referenceStart
        distance = (hit.referenceStart - hit.queryStart) * (isFirstQuery ? 1 : -1)
        timeSkew = isFirstQuery ? hit.timeSkew : 1 / (1 + hit.timeSkew) - 1
        score = hit.score
        isAccepted = hit.isAccepted
    }
}
