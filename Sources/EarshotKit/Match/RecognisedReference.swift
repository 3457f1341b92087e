import Fingerprinting

struct RecognisedReference: Sendable {
    let match: Match
    let items: [SHMediaItem]
    /// Whether items outside their ranges apply too.
    let showsAll: Bool
    let line: PlaybackLine
    /// How many seconds before the end of the query it was heard last; its items must apply there.
    var lastHeardSeconds = 0.0
    /// A lower bound of the playback position.
    var reachedPosition = -TimeInterval.infinity

    /// The items of references, best first, that apply at a clock reading, in the order of ``SHMatch/mediaItems``.
    static func mediaItems(of references: [RecognisedReference], atSeconds seconds: TimeInterval)
        -> [SHMatchedMediaItem]
    {
        let applying = references.flatMap { $0.mediaItems(atSeconds: seconds) }
        return applying.isEmpty ? references.prefix(1).map(\.basicItem) : applying
    }

    private func mediaItems(atSeconds seconds: TimeInterval) -> [SHMatchedMediaItem] {
        guard !showsAll else {
            return items.isEmpty
                ? [basicItem] : items.map { SHMatchedMediaItem($0, match: match, line: line) }
        }
        let position = max(line.position(at: seconds - lastHeardSeconds), reachedPosition)
        let skew = Float(match.frequencySkew)
        var timed: [(start: TimeInterval, item: SHMediaItem)] = []
        var untimed: [SHMediaItem] = []
        for item in items {
            let skews = item.frequencySkewRanges
            guard skews.isEmpty || skews.contains(where: { $0.contains(skew) }) else { continue }
            let ranges = item.timeRanges
            if ranges.isEmpty {
                untimed.append(item)
            } else if let start = ranges.filter({ $0.contains(position) }).map(\.lowerBound).max() {
                timed.append((start, item))
            }
        }
        // The sort is not stable. Items that begin together keep their order.
        let order = timed.indices.sorted {
            timed[$0].start != timed[$1].start ? timed[$0].start > timed[$1].start : $0 < $1
        }
        return (order.map { timed[$0].item } + untimed).map {
            SHMatchedMediaItem($0, match: match, line: line)
        }
    }

    /// An item without properties, for a match without an item that applies.
    private var basicItem: SHMatchedMediaItem {
        let item = SHMediaItem(stored: MediaItem(), id: .ofBasicItem(ofReference: match.referenceID))
        return SHMatchedMediaItem(item, match: match, line: line)
    }
}

extension SHCatalog {
    /// The media items of a query's matches, best first, that apply at the end of the query.
    ///
    /// - Parameters:
    ///   - duration: The length of the query, in seconds.
    ///   - seconds: The reading of the clock at the query's end.
    package func mediaItems(
        of matches: [Match], queryDuration duration: TimeInterval, endingAtSeconds seconds: TimeInterval,
        of clock: PlaybackClock
    ) -> [SHMatchedMediaItem] {
        let recognised = matches.map { match in
            let rate = 1 + match.timeSkew
            return RecognisedReference(
                match: match, items: items(of: match), showsAll: showsAllItems,
                line: PlaybackLine(
                    clock: clock, atSeconds: seconds,
                    positionSeconds: match.offsetSeconds + duration * rate, rate: rate),
                lastHeardSeconds: match.queryRange.map { max(0, duration - $0.upperBound) } ?? 0)
        }
        return RecognisedReference.mediaItems(of: recognised, atSeconds: seconds)
    }
}
