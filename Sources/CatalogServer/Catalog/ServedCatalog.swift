import EarshotKit
import Fingerprinting

/// What a query asks for besides its matches.
struct MatchOptions: Sendable {
    /// How much of each reference after the query the answer has, in seconds; nil for nothing.
    var followSeconds: Double?
    /// The least score of an answer; nil for accepted matches.
    var minimumScore: Double?
    /// The size of the catalog that this server has a part of, in hours.
    var wholeHours: Double?
    /// How many servers have passed the query on.
    var hops = 0
}

/// A part of the served catalog, and the indices of its references that do not count.
struct ServedSegment: Sendable {
    let contents: IndexedCatalog
    var removed: Set<Int>

    var count: Int { contents.catalog.entries.count - removed.count }

    /// The index of a reference that counts.
    func place(ofID id: String) throws -> Int? {
        try contents.place(ofID: id).flatMap { removed.contains($0) ? nil : $0 }
    }
}

/// The catalog at one moment.
///
/// It never changes: a query keeps the one with which it began.
struct ServedCatalog: Sendable {
    /// Excerpts of an answer have at most this many bytes together.
    private static let mostExcerptBytes = 2 << 20
    /// Excerpts begin this many seconds before the query.
    private static let excerptMargin = 2.0

    private let segments: [ServedSegment]
    let whole: SegmentedCatalog
    let generation: Int

    init(_ segments: [ServedSegment], generation: Int) {
        self.segments = segments
        self.generation = generation
        whole = SegmentedCatalog(
            segments.map { SegmentedCatalog.Segment($0.contents.catalog, removed: $0.removed) })
    }

    var referenceCount: Int { segments.reduce(0) { $0 + $1.count } }
    /// What is wrong with segments that were found damaged, and are left out of answers.
    var damage: [FingerprintingError] { segments.compactMap(\.contents.damage) }

    /// Matches a query here, and compares the matches with those of other servers.
    ///
    /// - Parameters:
    ///   - hours: The size of the whole catalog, in hours.
    ///   - parts: What the servers of its other parts answered.
    func match(
        _ signature: Signature, _ options: MatchOptions, ofHours hours: Double, parts: PartReplies
    ) throws -> MatchReply {
        let query = Query(signature)
        do {
            let reply = try answer(query, options, ofHours: hours, parts: parts)
            if reply.isPartial || damage.isEmpty { return reply }
        } catch let error as FingerprintingError where error.code == .malformedFile {}
        // Damage was found meanwhile. A second answer leaves the segment out.
        return try answer(query, options, ofHours: hours, parts: parts)
    }

    private func answer(
        _ query: Query, _ options: MatchOptions, ofHours hours: Double, parts: PartReplies
    ) throws -> MatchReply {
        let isPart = options.wholeHours != nil || hours != whole.hours
        let result = try whole.matchAll(query, wholeHours: isPart ? hours : nil)
        if let failure = result.failures.first, result.failures.count == whole.segments.count,
            parts.catalog == nil
        {
            throw failure.error
        }
        var found = result.found
        if let others = parts.catalog {
            found += parts.matches.map {
                SegmentedCatalog.Found(segment: whole.segments.count, match: $0)
            }
            found = SegmentedCatalog(whole.segments + [SegmentedCatalog.Segment(others)]).compare(
                found, in: query)
        }
        var excerptBytes = 0
        let references = try found.filter { found in
            options.minimumScore.map { found.match.score >= $0 } ?? found.match.isAccepted
        }.map { found in
            guard found.segment < whole.segments.count else {
                return parts.references[found.match.referenceIndex].with(
                    isAccepted: found.match.isAccepted, keepsExcerpt: options.followSeconds != nil)
            }
            return try reference(found, query, options, &excerptBytes)
        }
        return MatchReply(
            catalogHours: hours, generation: generation,
            isPartial: parts.isPartial || !result.failures.isEmpty, references: references)
    }

    private func reference(
        _ found: SegmentedCatalog.Found, _ query: Query, _ options: MatchOptions, _ excerptBytes: inout Int
    ) throws -> MatchReply.Reference {
        let match = found.match
        let catalog = whole.segments[found.segment].catalog
        let items = try catalog.servedItems(at: match.referenceIndex)
        var excerpt: Signature?
        if let seconds = options.followSeconds, excerptBytes < Self.mostExcerptBytes {
            let end = match.offsetSeconds + query.durationSeconds * (1 + match.timeSkew)
            let cut = catalog.excerpt(
                ofReferenceAt: match.referenceIndex,
                seconds: (match.offsetSeconds - Self.excerptMargin)...(end + Self.excerptMargin + seconds))
            excerptBytes += 4 * cut.peaks.count
            excerpt = cut
        }
        return MatchReply.Reference(match, items: items, excerpt: excerpt)
    }

    /// The media item with a Shazam ID.
    ///
    /// - Throws: The error of a damaged segment that may have it, if no other has.
    func item(shazamID: String) throws -> SHMediaItem? {
        var damage: (any Error)?
        for segment in segments {
            do {
                let found = try segment.contents.item(shazamID: shazamID)
                if let found, !segment.removed.contains(found.place) { return found.item }
            } catch { damage = error }
        }
        if let damage { throw damage }
        return nil
    }
}
