import AudioCore

/// Compares two recordings at the places that a matcher suspects.
package struct AuditVerdict: Sendable {
    package private(set) var score = -Double.infinity
    package private(set) var isAccepted = false
    package private(set) var coefficient = 0.0
    /// The first at second t is the second at second t + this; nil when nothing agrees.
    package private(set) var offsetSeconds: Double?
    package private(set) var comparedWindows = 0
    package private(set) var agreeingWindows = 0

    package let passages: [SharedPassages.Passage]
    /// How much of the shorter recording they cover, 0…1.
    package let sharedShare: Double
    /// Where the matcher is surest, when it accepts anything.
    package private(set) var suspicion: SharedPassages.Passage?
    /// The whole common part, if they are the same recording.
    package private(set) var whole: SharedPassages.Passage?
    /// Whether the other recording contains most of the shorter one.
    package private(set) var isSameRecording = false

    /// ``SharedPassages`` handles places with a lower score, as log-odds.
    private static let leastScore = -2.0

    package init(hits: [PlacedHit], waveforms: WaveformComparison) {
        let length = EquivalenceAudit.windowSeconds * EquivalenceAudit.sampleRate
        let shared = SharedPassages(hits: hits, waveforms: waveforms)
        passages = shared.passages
        sharedShare = shared.share
        suspicion = Self.suspicion(hits, waveforms: waveforms, length: length)
        var lags: [Int] = []
        for hit in hits where hit.isAccepted || hit.score >= Self.leastScore {
            score = max(score, hit.score)
            isAccepted = isAccepted || hit.isAccepted
            var found = waveforms.compare(
                start: hit.start, distance: hit.distance, length: length, maxLag: 400)
            if found.coefficient < EquivalenceAudit.leastCoefficient, hit.isAccepted {
                found = Self.bestPassage(waveforms, at: hit, length: length)
            }
            coefficient = max(coefficient, found.coefficient)
            if found.coefficient >= EquivalenceAudit.leastCoefficient {
                lags.append(found.distance)
            } else if hit.isAccepted, let layer = Self.sharedLayer(waveforms, at: hit, length: length) {
                lags.append(layer)
            }
        }
        guard let distance = Self.mostCommon(lags) else { return }
        offsetSeconds = Double(distance) / Double(EquivalenceAudit.sampleRate)
        measureExtent(waveforms, distance: distance, length: length)
        guard isSameRecording else { return }
        let range = waveforms.overlap(at: distance)
        whole = SharedPassages.Passage(
            range: range, secondStart: range.lowerBound + distance, timeSkew: 0,
            prominence: passages.compactMap(\.prominence).max(), correlation: coefficient, score: score)
    }

    /// Compares all windows of the first that lie within the second.
    private mutating func measureExtent(_ waveforms: WaveformComparison, distance: Int, length: Int) {
        for start in EquivalenceAudit.windowStarts(in: waveforms.first) {
            guard start + distance >= 0, start + distance + length <= waveforms.second.count else { continue }
            comparedWindows += 1
            let found = waveforms.compare(start: start, distance: distance, length: length, maxLag: 80)
            if found.coefficient >= EquivalenceAudit.leastCoefficient { agreeingWindows += 1 }
        }
        let shorter = min(waveforms.first.count, waveforms.second.count)
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
        _ waveforms: WaveformComparison, at hit: PlacedHit, length: Int
    ) -> (coefficient: Double, distance: Int) {
        let passage = 2 * EquivalenceAudit.sampleRate
        return stride(from: hit.start, through: hit.start + length - passage, by: passage / 2).map {
            waveforms.compare(start: $0, distance: hit.distance, length: passage, maxLag: 400)
        }.max { $0.coefficient < $1.coefficient } ?? (0, hit.distance)
    }

    /// Looks around a place for a layer that both mixes hold under other sounds.
    ///
    /// The layer lasts at least 3 s. Every second of it, tried every half second, correlates at one distance. A layer
    /// as loud as the rest of either mix correlates 0.5, and one 3 dB below it 0.33. Different performances of the
    /// same notes do not keep one distance to a few milliseconds.
    private static func sharedLayer(
        _ waveforms: WaveformComparison, at hit: PlacedHit, length: Int
    ) -> Int? {
        let piece = EquivalenceAudit.sampleRate
        let reach = 3 * EquivalenceAudit.sampleRate
        let tolerance = EquivalenceAudit.sampleRate * 3 / 1000
        var run: [Int] = []
        let last = hit.start + length + reach - piece
        for place in stride(from: hit.start - reach, through: last, by: piece / 2) {
            let found = waveforms.compare(start: place, distance: hit.distance, length: piece, maxLag: 160)
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

    /// The stretch around the best accepted place in which places are accepted at about the same distance.
    private static func suspicion(
        _ hits: [PlacedHit], waveforms: WaveformComparison, length: Int
    ) -> SharedPassages.Passage? {
        guard let best = hits.filter(\.isAccepted).max(by: { ($0.score, $1.start) < ($1.score, $0.start) })
        else { return nil }
        let tolerance = EquivalenceAudit.sampleRate / 4
        let near = hits.filter {
            let expected = best.distance + Int(bounded: best.timeSkew * Double($0.start - best.start))
            return $0.isAccepted && abs($0.distance - expected) <= tolerance
        }
        let begin = max(0, near.map(\.start).min() ?? best.start)
        let end = min(waveforms.first.count, (near.map(\.start).max() ?? best.start) + length)
        let moved = Int(bounded: best.timeSkew * Double(begin - best.start))
        return SharedPassages.Passage(
            range: begin..<max(begin, end), secondStart: begin + best.distance + moved,
            timeSkew: best.timeSkew,
            prominence: nil,
            correlation: waveforms.compare(
                start: best.start, distance: best.distance, length: min(length, end - begin), maxLag: 400
            ).coefficient, score: best.score)
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
