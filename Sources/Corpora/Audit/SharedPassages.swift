import AudioCore
import SignalProcessing

/// Finds the passages that two recordings share, around the places that a matcher named.
///
/// A place counts when a sharp correlation over 5 s exceeds chance (``SharpCorrelator``). From there the passage is
/// followed both ways, second by second, as long as the lag stays. So other sounds on top, another level or filter
/// and slow drift do not hide it. At another speed or pitch the spectra are followed instead (``SpectralAgreement``).
/// Another performance of the same notes does not count.
package struct SharedPassages {
    /// A passage; positions in samples at ``EquivalenceAudit/sampleRate``.
    package struct Passage: Sendable {
        package var range: Range<Int>
        package var secondStart: Int
        package var timeSkew: Double
        /// The prominence of the sharp correlation at its best window; nil where none was taken.
        package var prominence: Double?
        /// The median agreement of the spectra, −1…1; nil where none was taken.
        package var agreement: Double?
        package var correlation: Double
        package var score: Double

        package var secondRange: Range<Int> {
            secondStart..<(secondStart + Int(bounded: Double(range.count) * (1 + timeSkew)))
        }

        /// Whether more than a few sounds of it agree.
        package var isSure: Bool { (prominence ?? 0) >= sureProminence || (agreement ?? 0) >= sureAgreement }

        /// The distance of the second's place for a place in the first.
        func distance(at place: Int) -> Int {
            secondStart - range.lowerBound + Int(bounded: timeSkew * Double(place - range.lowerBound))
        }
    }

    /// The least prominence of a window of 5 s for a passage that a person should judge.
    private static let leastProminence = 8.0
    private static let sureProminence = 12.0
    private static let sureAgreement = 0.8
    /// The least prominence of a second, at most 3 ms from its expected place.
    private static let leastOfPiece = 4.5
    private static let leastSkew = 3e-4
    /// Places with a lower score of the matcher, as log-odds, are ignored.
    private static let leastScore = -3.0
    private static let mostPlaces = 12
    /// Spectra that are shifted by less agree as well.
    private static let sameFrequencySkew = 0.004
    private static let rate = EquivalenceAudit.sampleRate
    private static let window = EquivalenceAudit.windowSeconds * rate
    private static let piece = rate
    private static let longestGap = 3 * piece / 2
    private static let shortest = 3 * rate

    private let waveforms: WaveformComparison
    private let windows = SharpCorrelator(length: SharedPassages.window, maxLag: 400)
    private let pieces = SharpCorrelator(length: SharedPassages.piece, maxLag: 400)
    private var spectra: [(frequencySkew: Double, agreement: SpectralAgreement)] = []
    package private(set) var passages: [Passage] = []

    package init(hits: [PlacedHit], waveforms: WaveformComparison) {
        self.waveforms = waveforms
        let sorted = hits.sorted {
            ($0.score, $1.start, $1.distance) > ($1.score, $0.start, $0.distance)
        }
        let straight = sorted.filter { abs($0.timeSkew) < Self.leastSkew && $0.score >= Self.leastScore }
        var tried: [PlacedHit] = []
        for hit in straight where tried.count < Self.mostPlaces {
            let isSeen = tried.contains {
                abs($0.distance - hit.distance) < Self.rate / 20
                    && abs($0.start - hit.start) < Self.window / 2
            }
            guard !isSeen, !isCovered(hit) else { continue }
            tried.append(hit)
            guard let (passage, drift) = passage(around: hit) else { continue }
            var drifting = hit
            drifting.timeSkew = drift
            add(abs(drift) >= Self.leastSkew ? skewedPassage(around: drifting) ?? passage : passage)
        }
        takeSkewed(sorted.filter { abs($0.timeSkew) >= Self.leastSkew && $0.isAccepted })
        dropImplied()
        passages.sort { ($0.range.lowerBound, $0.secondStart) < ($1.range.lowerBound, $1.secondStart) }
    }

    /// How much of the shorter recording the passages at one distance cover, 0…1.
    package var share: Double {
        let shorter = Double(min(waveforms.first.count, waveforms.second.count))
        guard let longest = passages.max(by: { $0.range.count < $1.range.count }) else { return 0 }
        let distance = longest.secondStart - longest.range.lowerBound
        return passages.filter {
            abs($0.secondStart - $0.range.lowerBound - distance) < Self.rate / 20 || $0.timeSkew != 0
        }.reduce(0) { $0 + Double($1.range.count) } / max(1, shorter)
    }

    /// Adds a passage, or joins it with an overlapping one; what the spectra tell of a passage replaces the rest.
    private mutating func add(_ passage: Passage) {
        func isSame(_ other: Passage) -> Bool {
            let common = other.range.clamped(to: passage.range)
            let middle = (common.lowerBound + common.upperBound) / 2
            return !common.isEmpty
                && abs(other.distance(at: middle) - passage.distance(at: middle)) < Self.rate / 20
        }
        if passage.agreement != nil { passages.removeAll { $0.agreement == nil && isSame($0) } }
        guard let same = passages.firstIndex(where: isSame) else { return passages.append(passage) }
        guard passages[same].agreement == nil else { return }
        let begin = min(passages[same].range.lowerBound, passage.range.lowerBound)
        passages[same].secondStart += begin - passages[same].range.lowerBound
        passages[same].range = begin..<max(passages[same].range.upperBound, passage.range.upperBound)
        passages[same].prominence = max(passages[same].prominence ?? 0, passage.prominence ?? 0)
        passages[same].correlation = max(passages[same].correlation, passage.correlation)
    }

    /// Removes passages that longer ones imply: each turn of a loop agrees with every other.
    private mutating func dropImplied() {
        var kept: [Passage] = []
        let longestFirst = passages.sorted {
            ($1.range.count, $0.range.lowerBound, $0.secondStart) < (
                $0.range.count, $1.range.lowerBound, $1.secondStart
            )
        }
        for passage in longestFirst {
            let isImplied =
                passage.range.share(coveredBy: kept.map(\.range)) >= 0.8
                && passage.secondRange.share(coveredBy: kept.map(\.secondRange)) >= 0.8
            if !isImplied { kept.append(passage) }
        }
        passages = kept
    }

    private func isCovered(_ hit: PlacedHit) -> Bool {
        let middle = hit.start + Self.window / 2
        return passages.contains {
            $0.range.contains(middle)
                && abs($0.distance(at: middle) - hit.distance(at: middle)) < Self.rate / 20
        }
    }

    /// The passage around a place, and how much its distance grows by the sample.
    private func passage(around hit: PlacedHit) -> (Passage, drift: Double)? {
        let common = waveforms.overlap(at: hit.distance)
        guard common.count >= Self.rate / 2 else { return nil }
        // The window is moved to where both recordings sound; one that is longer than both stands over their middle.
        let start =
            common.count < Self.window
            ? common.lowerBound + (common.count - Self.window) / 2
            : min(max(hit.start, common.lowerBound), common.upperBound - Self.window)
        let found = windows.align(
            waveforms.second.samples(in: (start + hit.distance)..<(start + hit.distance + Self.window)),
            with: waveforms.first.samples(in: start..<(start + Self.window)), exclusion: Self.rate / 250)
        guard found.prominence >= Self.leastProminence else { return nil }
        let distance = hit.distance + found.lag
        let middle = start + Self.window / 2
        let shorter = min(waveforms.first.count, waveforms.second.count)
        var range = common
        var distances = (begin: distance, end: distance)
        if common.count >= Self.shortest {
            let end = follow(from: middle, distance: distance, within: common, step: Self.piece / 2)
            let begin = follow(from: middle, distance: distance, within: common, step: -Self.piece / 2)
            guard begin.place < end.place else { return nil }
            range = begin.place..<end.place
            distances = (begin.distance, end.distance)
        }
        guard range.count >= min(Self.shortest, shorter * 4 / 5) else { return nil }
        let judged = min(range.count, 2 * Self.window)
        let correlation = waveforms.compare(
            start: range.lowerBound + (range.count - judged) / 2, distance: distance, length: judged,
            maxLag: 24
        ).coefficient
        if common.count < Self.shortest, correlation < EquivalenceAudit.leastCoefficient { return nil }
        let passage = Passage(
            range: range, secondStart: range.lowerBound + distance, timeSkew: 0, prominence: found.prominence,
            correlation: correlation, score: hit.score)
        return (passage, Double(distances.end - distances.begin) / Double(range.count))
    }

    /// Follows the passage from a frame by `step`, and its lag as it drifts; returns its end, and the distance there.
    private func follow(
        from middle: Int, distance: Int, within common: Range<Int>, step: Int
    ) -> (place: Int, distance: Int) {
        var distance = distance
        var last = middle
        var place = middle - Self.piece / 2
        // Half a second at either end of a piece hardly weighs: what is heard there lies a quarter further in.
        let edge = step > 0 ? Self.piece * 3 / 4 : Self.piece / 4
        while place + Self.piece > common.lowerBound, place < common.upperBound,
            abs(place + edge - last) <= Self.longestGap + abs(step)
        {
            let found = pieces.align(
                waveforms.second.samples(in: (place + distance)..<(place + distance + Self.piece)),
                with: waveforms.first.samples(in: place..<(place + Self.piece)),
                nearest: Self.rate * 3 / 1000,
                exclusion: Self.rate / 250)
            if found.prominence >= Self.leastOfPiece {
                distance += found.lag
                last = place + edge
            }
            place += step
        }
        // A passage that reaches the last second of either recording reaches its end.
        if step > 0, common.upperBound - last < Self.piece { last = common.upperBound }
        if step < 0, last - common.lowerBound < Self.piece { last = common.lowerBound }
        return (last, distance)
    }

    /// Adds passages at another speed, around places that the matcher accepts.
    private mutating func takeSkewed(_ hits: [PlacedHit]) {
        var tried = 0
        for hit in hits where tried < Self.mostPlaces && !isCovered(hit) {
            tried += 1
            if let passage = skewedPassage(around: hit) { add(passage) }
        }
    }

    private mutating func skewedPassage(around hit: PlacedHit) -> Passage? {
        let known = spectra.firstIndex { abs($0.frequencySkew - hit.frequencySkew) < Self.sameFrequencySkew }
        if known == nil {
            spectra.append(
                (hit.frequencySkew, SpectralAgreement(waveforms, frequencySkew: hit.frequencySkew)))
        }
        let passage = spectra[known ?? spectra.count - 1].agreement.passage(around: hit)
        return passage.flatMap { $0.range.count >= Self.shortest ? $0 : nil }
    }
}
