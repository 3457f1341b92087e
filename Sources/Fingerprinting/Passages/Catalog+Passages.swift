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
                passages.filter { $0.reference == match.referenceIndex }
                    .max { $0.evidence < $1.evidence }
            }.first
            return match.heard(own?.match, within: whole(match, of: query))
        }
        let known = Set(accepted.map(\.referenceIndex))
        for passage in heard where !known.contains(passage.reference) {
            let match = passage.match
            located.append(match.heard(match, within: whole(match, of: query)))
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

    /// The longest difference of seconds heard that does not change the order of matches of the same sound.
    private static let tieSeconds = 0.5

    private static func overlap(_ a: Match, _ b: Match) -> Bool {
        guard let first = a.queryRange, let second = b.queryRange else { return true }
        let both = first.clamped(to: second)
        return 2 * (both.upperBound - both.lowerBound) > first.upperBound - first.lowerBound
    }

    private static func mostHeardFirst(_ matches: [Match]) -> [Match] {
        let seconds = matches.map { $0.queryRange.map { $0.upperBound - $0.lowerBound } ?? 0 }
        let sorted = matches.indices.sorted {
            seconds[$0] != seconds[$1] ? seconds[$0] > seconds[$1] : $0 < $1
        }
        var tiers: [[Int]] = []
        for place in sorted {
            if let first = tiers.last?.first, seconds[first] - seconds[place] <= tieSeconds,
                overlap(matches[first], matches[place])
            {
                tiers[tiers.count - 1].append(place)
            } else {
                tiers.append([place])
            }
        }
        return tiers.flatMap { $0.sorted() }.map { matches[$0] }
    }
}

extension Match {
    /// Near the ends of a query or a reference no peaks are found: 0.1 s.
    private static let edgeSeconds = 0.1

    /// The match with the part of the query in which it is heard: without a passage it is `whole`, the most it can be.
    fileprivate func heard(_ passage: Match?, within whole: Range<Double>) -> Match {
        var match = self
        // On several lines it is heard beyond what one of them allows.
        if let passage, !passage.segments.isEmpty {
            (match.queryRange, match.referenceRange) = (passage.queryRange, passage.referenceRange)
            match.segments = passage.segments
            return match
        }
        let range = (passage?.queryRange ?? whole).clamped(to: whole)
        let begin =
            range.lowerBound - whole.lowerBound < Self.edgeSeconds ? whole.lowerBound : range.lowerBound
        let end = whole.upperBound - range.upperBound < Self.edgeSeconds ? whole.upperBound : range.upperBound
        let rate = 1 + timeSkew
        match.queryRange = begin..<end
        match.referenceRange = offsetSeconds + begin * rate..<offsetSeconds + end * rate
        return match
    }
}
