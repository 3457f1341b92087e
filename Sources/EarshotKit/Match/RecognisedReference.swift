import Fingerprinting

struct RecognisedReference: Sendable {
    let match: Match
    let items: [SHMediaItem]
    let line: PlaybackLine

    /// The items that apply at a clock reading, in the order of ``SHMatch/mediaItems``.
    ///
    /// - Parameter reached: A lower bound of the playback position.
    func mediaItems(atSeconds seconds: TimeInterval, notBefore reached: TimeInterval = -.infinity)
        -> [SHMatchedMediaItem]
    {
        let position = max(line.position(at: seconds), reached)
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
        let applying = order.map { timed[$0].item } + untimed
        return (applying.isEmpty ? [basic] : applying).map {
            SHMatchedMediaItem($0, match: match, line: line)
        }
    }

    /// An item without properties, for a reference none of whose items applies.
    private var basic: SHMediaItem {
        SHMediaItem(stored: MediaItem(), id: UUID.ofItem(-1, ofReference: match.referenceID))
    }
}
