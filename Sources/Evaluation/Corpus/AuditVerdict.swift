import SignalProcessing

/// A place that a matcher named; positions in samples at ``EquivalenceAudit/sampleRate``.
struct AuditHit: Sendable {
    var query: Int
    var reference: Int
    var queryStart: Int
    var referenceStart: Int
    var score: Double
    var isAccepted: Bool
}

/// Two recordings by their positions in the list, the smaller first.
struct AuditPair: Hashable, Comparable, Sendable {
    var first: Int
    var second: Int

    init(_ one: Int, _ other: Int) {
        first = min(one, other)
        second = max(one, other)
    }

    static func < (one: AuditPair, other: AuditPair) -> Bool {
        (one.first, one.second) < (other.first, other.second)
    }
}

/// What the waveforms of two recordings say about the places where a matcher suspects them.
struct AuditVerdict: Sendable {
    /// The matcher's best score.
    private(set) var score = -Double.infinity
    /// Whether the matcher itself accepts any of the places.
    private(set) var isAccepted = false
    /// The best correlation seen.
    private(set) var coefficient = 0.0
    /// The first at second t is the second at second t + this; nil when nothing agrees.
    private(set) var offsetSeconds: Double?
    private(set) var comparedWindows = 0
    private(set) var agreeingWindows = 0

    /// Whether most of the shorter recording lies within the other and agrees with it.
    private(set) var isSameRecording = false

    init(
        hits: [AuditHit], first: CompactAudio, second: CompactAudio, isFirstQuery: (AuditHit) -> Bool
    ) {
        let length = EquivalenceAudit.windowSeconds * EquivalenceAudit.sampleRate
        var lags: [Int] = []
        for hit in hits {
            score = max(score, hit.score)
            isAccepted = isAccepted || hit.isAccepted
            let isForward = isFirstQuery(hit)
            let start = isForward ? hit.queryStart : hit.referenceStart
            let distance = (hit.referenceStart - hit.queryStart) * (isForward ? 1 : -1)
            var found = Self.compare(
                first, second, start: start, distance: distance, length: length, maxLag: 400)
            if found.coefficient < EquivalenceAudit.leastCoefficient, hit.isAccepted {
                found = Self.bestPassage(first, second, start: start, distance: distance, length: length)
            }
            coefficient = max(coefficient, found.coefficient)
            if found.coefficient >= EquivalenceAudit.leastCoefficient {
                lags.append(found.distance)
            } else if hit.isAccepted,
                let layer = Self.sharedLayer(first, second, start: start, distance: distance, length: length)
            {
                lags.append(layer)
            }
        }
        guard let distance = Self.mostCommon(lags) else { return }
        offsetSeconds = Double(distance) / Double(EquivalenceAudit.sampleRate)
        measureExtent(first: first, second: second, distance: distance, length: length)
    }

    /// Compares all windows of the first that lie within the second.
    private mutating func measureExtent(
        first: CompactAudio, second: CompactAudio, distance: Int, length: Int
    ) {
        for start in EquivalenceAudit.windowStarts(in: first) {
            guard start + distance >= 0, start + distance + length <= second.count else { continue }
            comparedWindows += 1
            let found = Self.compare(
                first, second, start: start, distance: distance, length: length, maxLag: 80)
            if found.coefficient >= EquivalenceAudit.leastCoefficient { agreeingWindows += 1 }
        }
        let shorter = min(first.count, second.count)
        let possible = max(
            1, (shorter - length) / (EquivalenceAudit.hopSeconds * EquivalenceAudit.sampleRate))
        isSameRecording =
            Double(agreeingWindows) >= 0.8 * Double(comparedWindows)
            && Double(comparedWindows) >= 0.6 * Double(possible)
    }

    /// Compares every 2 s of a window: the shared passage may begin or end within it.
    ///
    /// Only for places that the matcher accepts, for 2 s of one held note resemble each other by chance.
    private static func bestPassage(
        _ first: CompactAudio, _ second: CompactAudio, start: Int, distance: Int, length: Int
    ) -> (coefficient: Double, distance: Int) {
        let passage = 2 * EquivalenceAudit.sampleRate
        return stride(from: start, through: start + length - passage, by: passage / 2).map {
            compare(first, second, start: $0, distance: distance, length: passage, maxLag: 400)
        }.max { $0.coefficient < $1.coefficient } ?? (0, distance)
    }

    /// Looks around a place for a layer that both hold under different other sounds: at least 3 s on end
    /// in which every second, one each half second, correlates, all at one distance.
    ///
    /// A layer as loud as the rest of either mix correlates 0.5, and one 3 dB below it 0.33. Different
    /// performances of the same notes do not keep one distance to a few milliseconds.
    private static func sharedLayer(
        _ first: CompactAudio, _ second: CompactAudio, start: Int, distance: Int, length: Int
    ) -> Int? {
        let piece = EquivalenceAudit.sampleRate
        let reach = 3 * EquivalenceAudit.sampleRate
        let tolerance = EquivalenceAudit.sampleRate * 3 / 1000
        var run: [Int] = []
        for place in stride(from: start - reach, through: start + length + reach - piece, by: piece / 2) {
            let found = compare(first, second, start: place, distance: distance, length: piece, maxLag: 160)
            guard found.coefficient >= EquivalenceAudit.leastLayerCoefficient else {
                run = []
                continue
            }
            run.append(found.distance)
            while let least = run.min(), let most = run.max(), most - least > tolerance { run.removeFirst() }
            if run.count >= 5 { return run.sorted()[run.count / 2] }
        }
        return nil
    }

    private static func compare(
        _ first: CompactAudio, _ second: CompactAudio, start: Int, distance: Int, length: Int, maxLag: Int
    ) -> (coefficient: Double, distance: Int) {
        // Only what both recordings hold; a place near an end is compared over less.
        let range = (start..<(start + length)).clamped(to: 0..<first.count)
            .clamped(to: (-distance)..<(max(-distance, second.count - distance)))
        guard range.count >= length / 2 else { return (0, distance) }
        let shifted = (range.lowerBound + distance)..<(range.upperBound + distance)
        let best = CrossCorrelation.bestLag(
            of: second.samples(in: shifted), in: first.samples(in: range), maxLag: maxLag)
        return (best.coefficient, distance + Int(best.lag.rounded()))
    }

    /// The median of the largest group of distances within 20 ms of each other.
    private static func mostCommon(_ distances: [Int]) -> Int? {
        let sorted = distances.sorted()
        let width = EquivalenceAudit.sampleRate / 50
        var best = 0..<0
        var end = 0
        for start in sorted.indices {
            end = max(end, start)
            while end < sorted.count, sorted[end] - sorted[start] <= width { end += 1 }
            if end - start > best.count { best = start..<end }
        }
        return best.isEmpty ? nil : sorted[best.lowerBound + best.count / 2]
    }
}
