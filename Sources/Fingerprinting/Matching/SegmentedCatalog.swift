import AudioCore

/// Catalogs that are searched as one.
///
/// Each is searched by itself, with scores that allow for the size of the whole. A decisive score after the quick phase
/// ends the search in all of them, as it does in one catalog. Then the matches of all are compared as those of one
/// catalog are. A catalog that is found damaged is left out.
package struct SegmentedCatalog: Sendable {
    package struct Segment: Sendable {
        package let catalog: Catalog
        /// The indices of references that are no longer there.
        package var removed: Set<Int>

        package init(_ catalog: Catalog, removed: Set<Int> = []) {
            self.catalog = catalog
            self.removed = removed
        }
    }

    /// A match, and the index of its segment; `Match.referenceIndex` is that in the segment.
    package struct Found: Sendable {
        package let segment: Int
        package let match: Match

        package init(segment: Int, match: Match) {
            self.segment = segment
            self.match = match
        }
    }

    package struct Result: Sendable {
        /// Accepted matches first, best first.
        package var found: [Found] = []
        /// The segments that could not be searched, and why.
        package var failures: [(segment: Int, error: FingerprintingError)] = []
    }

    package let segments: [Segment]
    /// The length of all references, in hours.
    package let hours: Double

    package init(_ segments: [Segment]) {
        self.segments = segments
        hours = segments.reduce(0) { $0 + $1.hours }
    }

    /// Matches an analysed query with every reference that contains it, as `Catalog.matchAll(_:)` does.
    ///
    /// - Parameter wholeHours: The size of the catalog that these are a part of, in hours; nil if they are the whole.
    /// - Throws: `FingerprintingError` for a query of other settings.
    package func matchAll(_ query: Query, wholeHours: Double? = nil) throws -> Result {
        let hours = wholeHours ?? hours
        if wholeHours == nil, segments.count == 1, segments[0].removed.isEmpty {
            return try search(segments[0].catalog, query)
        }
        var result = Result()
        /// Without a segment that is damaged.
        func intact<T>(_ number: Int, _ body: () throws -> T) throws -> T? {
            do { return try body() } catch let error as FingerprintingError where error.code == .malformedFile
            {
                result.failures.append((number, error))
                return nil
            }
        }
        let parts = segments.map { $0.catalog.asPart(ofHours: hours) }
        let started = try parts.enumerated().map { number, part in
            try intact(number) { try part.start(query) } ?? nil
        }
        let isDecided = zip(started, segments).contains { search, segment in
            search?.isDecisive(without: segment.removed) ?? false
        }
        for (number, search) in started.enumerated() {
            guard var search else { continue }
            search.isDecidedElsewhere = isDecided
            let matches = try intact(number) {
                try segments[number].matches(of: query, in: parts[number], &search)
            }
            result.found += (matches ?? []).map { Found(segment: number, match: $0) }
        }
        result.found = compare(result.found, in: query)
        return result
    }

    private func search(_ catalog: Catalog, _ query: Query) throws -> Result {
        do {
            return Result(found: try catalog.matchAll(query).map { Found(segment: 0, match: $0) })
        } catch let error as FingerprintingError where error.code == .malformedFile {
            return Result(failures: [(0, error)])
        }
    }

    /// Ranks and compares matches of the segments as those of one catalog: accepted ones first, best first.
    package func compare(_ found: [Found], in query: Query) -> [Found] {
        guard let settings = segments.first?.catalog.settings else { return found }
        var found = settings.bestFirst(found) {
            ($0.match.score, SkewPrior($0.match, settings: settings.verification).logOdds)
        }.map {
            Found(
                segment: $0.segment,
                match: $0.match.beforeComparison(threshold: settings.decision.threshold))
        }
        let accepted = found.prefix { $0.match.isAccepted }.count
        guard accepted > 0 else { return Array(found.prefix(settings.decision.answers)) }
        found = Array(found.prefix(max(2 * accepted, settings.decision.answers)))
        let compared = PassageComparison.compare(
            found.map(\.match),
            found.map { found in
                PassageComparison(
                    AlignedPeaks(of: found.match, in: query, catalog: segments[found.segment].catalog))
            }
        ).map(\.withoutAPart)
        let all = zip(found, compared).map { Found(segment: $0.segment, match: $1) }
        return all.filter(\.match.isAccepted) + all.filter { !$0.match.isAccepted }
    }
}

extension SegmentedCatalog.Segment {
    fileprivate var hours: Double {
        removed.reduce(catalog.hours) { $0 - catalog.durationSeconds(at: $1) / 3600 }
    }

    /// The matches without removed references, which hide no others.
    fileprivate func matches(of query: Query, in part: Catalog, _ search: inout Search) throws -> [Match] {
        let matches = try part.finish(&search, query)
        let gone = matches.count { removed.contains($0.referenceIndex) }
        guard gone > 0 else { return matches }
        let more = try part.match(query, most: matches.count + catalog.settings.decision.answers + 4 * gone)
        return more.filter { !removed.contains($0.referenceIndex) }
    }
}

extension Match {
    fileprivate func beforeComparison(threshold: Double) -> Match {
        var match = self
        match.isAccepted = score >= threshold
        match.logLikelihoodDeficit = nil
        match.containsOnlyAPart = false
        return match
    }

    /// The match, not accepted if another reference contains the query's beginning or end and this one does not.
    var withoutAPart: Match {
        var match = self
        if containsOnlyAPart { match.isAccepted = false }
        return match
    }
}
