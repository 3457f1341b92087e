import AudioCore

extension Catalog {
    /// Says where in a query each accepted match is heard, and adds other references that are heard in a part of it.
    ///
    /// What explains more seconds of the query comes first; matches that explain as much keep their order.
    ///
    /// - Throws: `FingerprintingError` for a damaged catalog file.
    func located(_ matches: [Match], in query: Query) throws -> [Match] {
        var search = PassageSearch(catalog: self)
        let accepted = matches.filter(\.isAccepted)
        for match in accepted { search.take(match, frames: 0..<query.frameCount) }
        try search.search(query, start: 0, to: query.frameCount)
        let (all, heard) = try search.end(of: query)
        try requireIntact()
        var located = accepted.map { match in
            let own = [heard, all].lazy.compactMap { passages in
                passages.filter { $0.passage.reference == match.referenceIndex }
                    .max { $0.stretch.evidence < $1.stretch.evidence }
            }.first
            return match.heard(own?.match.queryRange ?? whole(match, of: query), of: query)
        }
        let known = Set(accepted.map(\.referenceIndex))
        for passage in heard where !known.contains(passage.passage.reference) {
            let match = passage.match
            guard let range = match.queryRange else { continue }
            located.append(match.heard(range, of: query))
        }
        let named = Set(located.map(\.referenceIndex))
        return Self.mostHeardFirst(located) + matches.filter { !named.contains($0.referenceIndex) }
    }

    /// The part of a query within the reference's length.
    private func whole(_ match: Match, of query: Query) -> Range<Double> {
        let rate = 1 + match.timeSkew
        let length = Double(frames(of: match.referenceIndex)) * FrequencyScale.frameSeconds
        let begin = max(0, -match.offsetSeconds / rate)
        return begin..<max(begin, min(query.durationSeconds, (length - match.offsetSeconds) / rate))
    }

    /// The longest difference of seconds heard that does not change the order.
    private static let tieSeconds = 0.1

    private static func mostHeardFirst(_ matches: [Match]) -> [Match] {
        let seconds = matches.map { $0.queryRange.map { $0.upperBound - $0.lowerBound } ?? 0 }
        let sorted = matches.indices.sorted {
            seconds[$0] != seconds[$1] ? seconds[$0] > seconds[$1] : $0 < $1
        }
        var tiers: [[Int]] = []
        for place in sorted {
            if let first = tiers.last?.first, seconds[first] - seconds[place] <= tieSeconds {
                tiers[tiers.count - 1].append(place)
            } else {
                tiers.append([place])
            }
        }
        return tiers.flatMap { $0.sorted() }.map { matches[$0] }
    }
}

extension Match {
    /// The match with the part of the query in which it is heard.
    fileprivate func heard(_ range: Range<Double>, of query: Query) -> Match {
        var match = self
        let range = range.clamped(to: 0..<max(0, query.durationSeconds))
        let rate = 1 + timeSkew
        match.queryRange = range
        match.referenceRange =
            offsetSeconds + range.lowerBound * rate..<offsetSeconds + range.upperBound * rate
        return match
    }
}
