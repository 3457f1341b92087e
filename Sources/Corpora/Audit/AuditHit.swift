/// A place that a matcher named; positions in samples at ``EquivalenceAudit/sampleRate``.
package struct AuditHit: Sendable {
    package var query: Int
    package var reference: Int
    package var queryStart: Int
    package var referenceStart: Int
    /// Reference seconds per query second − 1.
    package var timeSkew: Double
    /// Frequencies of the query by those of the reference, minus 1.
    package var frequencySkew: Double
    package var score: Double
    package var isAccepted: Bool
}

/// Two recordings by their positions in the list, the smaller first.
package struct AuditPair: Hashable, Comparable, Sendable {
    package var first: Int
    package var second: Int

    package init(_ one: Int, _ other: Int) {
        first = min(one, other)
        second = max(one, other)
    }

    package static func < (one: AuditPair, other: AuditPair) -> Bool {
        (one.first, one.second) < (other.first, other.second)
    }
}

/// A hit from the view of the first recording of its pair.
package struct PlacedHit: Sendable {
    package var start: Int
    package var distance: Int
    /// Seconds of the second per second of the first − 1.
    package var timeSkew: Double
    /// Frequencies of the second by those of the first, minus 1.
    package var frequencySkew: Double
    package var score: Double
    package var isAccepted: Bool

    package init(_ hit: AuditHit, isFirstQuery: Bool) {
        start = isFirstQuery ? hit.queryStart : hit.referenceStart
        distance = (hit.referenceStart - hit.queryStart) * (isFirstQuery ? 1 : -1)
        timeSkew = isFirstQuery ? hit.timeSkew : 1 / (1 + hit.timeSkew) - 1
        frequencySkew = isFirstQuery ? 1 / (1 + hit.frequencySkew) - 1 : hit.frequencySkew
        score = hit.score
        isAccepted = hit.isAccepted
    }

    /// The distance of the second's place for a place in the first.
    func distance(at place: Int) -> Int { distance + Int(bounded: timeSkew * Double(place - start)) }
}
