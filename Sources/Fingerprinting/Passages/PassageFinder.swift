import AudioCore

/// Finds what plays in a long recording, from when to when.
///
/// Memory does not grow with the recording. Passages come when nothing that is heard later can change them, in order
/// of their beginnings.
///
/// ```swift
/// var finder = try PassageFinder(catalog: catalog, sampleRate: 44_100, channelCount: 2)
/// for match in try finder.append(block) { print(match.referenceID, match.queryRange) }
/// for match in try finder.finish() { print(match.referenceID, match.queryRange) }
/// ```
public struct PassageFinder {
    private let sampleRate: Int
    private var window: StreamWindow
    private var sampleCount = 0
    private var search: PassageSearch

    /// - Throws: `FingerprintingError` for a rate outside 1000…768,000 Hz.
    public init(catalog: Catalog, sampleRate: Int, channelCount: Int) throws {
        self.sampleRate = sampleRate
        search = PassageSearch(catalog: catalog)
        let frames = PassageSearch.chunkFrames + 2 * PassageSearch.contextFrames + 16
        window = try StreamWindow(
            settings: catalog.settings, sampleRate: sampleRate, channelCount: channelCount,
            longestSeconds: Double(frames) * FrequencyScale.frameSeconds)
    }

    /// The length of the recording so far, in seconds.
    public var elapsedSeconds: Double { Double(sampleCount) / Double(sampleRate) }

    /// Takes the next samples and returns the passages that are sure, in order.
    ///
    /// A match has a `queryRange` and a `referenceRange`; its offset is that of the recording's first sample.
    ///
    /// - Throws: `FingerprintingError` when a sample is not finite, rate or channels change, or the catalog's file is
    ///   damaged.
    public mutating func append(_ audio: AudioBuffer) throws -> [Match] {
        var found: [Match] = []
        var taken = 0
        while taken < audio.frameCount {
            let frame = search.searched + PassageSearch.chunkFrames + PassageSearch.contextFrames
            let boundary = Int(bounded: Double(frame) * FrequencyScale.frameSeconds * Double(sampleRate))
            let count = min(audio.frameCount - taken, boundary - sampleCount)
            try window.append(count == audio.frameCount ? audio : audio.frames(taken..<(taken + count)))
            taken += count
            sampleCount += count
            guard sampleCount == boundary else { continue }
            try searchOn(to: search.searched + PassageSearch.chunkFrames)
            found += search.takeSure()
        }
        return found
    }

    /// Ends the recording and returns the remaining passages.
    ///
    /// - Throws: `FingerprintingError` when the catalog's file is damaged.
    public mutating func finish() throws -> [Match] {
        let end = Int(bounded: elapsedSeconds / FrequencyScale.frameSeconds) + 1
        if end > search.searched { try searchOn(to: end) }
        return search.takeAll()
    }

    private mutating func searchOn(to end: Int) throws {
        let seconds =
            Double(search.searched - PassageSearch.contextFrames) * FrequencyScale.frameSeconds
        let (query, startSeconds) = try window.query(since: max(0, seconds))
        try search.search(
            query, start: Int(bounded: (startSeconds / FrequencyScale.frameSeconds).rounded()), to: end)
    }
}
