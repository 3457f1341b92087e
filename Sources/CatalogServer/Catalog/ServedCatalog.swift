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
}

/// The catalog at one moment.
///
/// It never changes: a query keeps the one with which it began.
struct ServedCatalog: Sendable {
    /// Excerpts of an answer have at most this many bytes together.
    private static let mostExcerptBytes = 2 << 20
    /// Excerpts begin this many seconds before the query.
    private static let excerptMargin = 2.0

    let whole: SegmentedCatalog
    private let indexes: [ReferenceIndex]
    let generation: Int

    /// Takes catalogs; of references with one identifier the first counts.
    ///
    /// - Parameter note: Called with each identifier that a later catalog has again.
    init(_ catalogs: [Catalog], generation: Int, noting note: (String) -> Void) throws {
        let indexes = try catalogs.map { try ReferenceIndex($0) }
        var segments = catalogs.map { SegmentedCatalog.Segment($0) }
        for (number, catalog) in catalogs.enumerated().dropFirst() {
            for place in catalog.entries.indices {
                let id = try catalog.entry(at: place).id
                let isKnown = try (0..<number).contains {
                    try indexes[$0].place(ofID: id, in: catalogs[$0]) != nil
                }
                guard isKnown else { continue }
                segments[number].removed.insert(place)
                note(id)
            }
        }
        whole = SegmentedCatalog(segments)
        self.indexes = indexes
        self.generation = generation
    }

    var referenceCount: Int {
        whole.segments.reduce(0) { $0 + $1.catalog.entries.count - $1.removed.count }
    }

    var facts: CatalogFacts {
        CatalogFacts(
            references: referenceCount, hours: whole.hours, generation: generation, isPartial: false)
    }

    func match(_ signature: Signature, _ options: MatchOptions) throws -> MatchReply {
        let query = Query(signature)
        let result = try whole.matchAll(query, wholeHours: options.wholeHours)
        if let failure = result.failures.first, result.failures.count == whole.segments.count {
            throw failure.error
        }
        var excerptBytes = 0
        let references = try result.found.filter { found in
            options.minimumScore.map { found.match.score >= $0 } ?? found.match.isAccepted
        }.map { found in
            let match = found.match
            let catalog = whole.segments[found.segment].catalog
            let entry = try catalog.entry(at: match.referenceIndex)
            var excerpt: Signature?
            if let seconds = options.followSeconds, excerptBytes < Self.mostExcerptBytes {
                let end = match.offsetSeconds + query.durationSeconds * (1 + match.timeSkew)
                let cut = catalog.excerpt(
                    ofReferenceAt: match.referenceIndex,
                    seconds: (match.offsetSeconds - Self.excerptMargin)...(end + Self.excerptMargin + seconds)
                )
                excerptBytes += 4 * cut.peaks.count
                excerpt = cut
            }
            return MatchReply.Reference(match, items: entry.servedItems, excerpt: excerpt)
        }
        for segment in whole.segments { try segment.catalog.requireIntact() }
        return MatchReply(
            catalogHours: options.wholeHours ?? whole.hours, generation: generation,
            isPartial: !result.failures.isEmpty, references: references)
    }

    func item(shazamID: String) throws -> SHMediaItem? {
        for (segment, index) in zip(whole.segments, indexes) {
            if let found = try index.item(shazamID: shazamID, in: segment.catalog),
                !segment.removed.contains(found.place)
            {
                return found.item
            }
        }
        return nil
    }
}
