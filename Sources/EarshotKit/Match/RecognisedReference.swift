import Fingerprinting

struct RecognisedReference: Sendable {
    let match: Match
    var items: [SHMediaItem] = []
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
        let position = position(atSeconds: seconds)
        var timed: [(start: TimeInterval, item: SHMediaItem)] = []
        var untimed: [SHMediaItem] = []
        for item in items where applies(item.stored, at: position) {
            if let start = item.timeRanges.filter({ $0.contains(position) }).map(\.lowerBound).max() {
                timed.append((start, item))
            } else {
                untimed.append(item)
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

    /// The position at which items must apply at a clock reading.
    func position(atSeconds seconds: TimeInterval) -> TimeInterval {
        max(line.position(at: seconds - lastHeardSeconds), reachedPosition)
    }

    func applies(_ item: MediaItem, at position: TimeInterval) -> Bool {
        showsAll || item.applies(at: position, frequencySkew: Float(match.frequencySkew))
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
            var reference = RecognisedReference(
                match: match, showsAll: showsAllItems,
                line: PlaybackLine(
                    clock: clock, atSeconds: seconds,
                    positionSeconds: match.offsetSeconds + duration * rate, rate: rate),
                lastHeardSeconds: match.queryRange.map { max(0, duration - $0.upperBound) } ?? 0)
            let position = reference.position(atSeconds: seconds)
            reference.items = items(of: match) { reference.applies($0, at: position) }
            return reference
        }
        return RecognisedReference.mediaItems(of: recognised, atSeconds: seconds)
    }
}
