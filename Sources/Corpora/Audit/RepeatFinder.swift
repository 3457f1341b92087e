import AudioCore
import AudioIO
import SignalProcessing

/// Finds passages that come again in the same recording, by their waveforms alone.
///
/// Every 2 s, three seconds are correlated at 2 kHz with all that comes later. Where one distance correlates window
/// after window, the passage is measured at 8 kHz and followed to its ends. Of a passage that comes many times, each
/// place is listed with the next one only.
package struct RepeatFinder {
    /// A passage and its next occurrence; positions in samples at ``EquivalenceAudit/sampleRate``.
    package struct Repeat: Sendable {
        package var range: Range<Int>
        package var distance: Int
        package var correlation: Double
    }

    private static let rate = EquivalenceAudit.sampleRate
    private static let coarseRate = 2000
    private static let cutSeconds = 3
    private static let hopSeconds = 2
    private static let leastSeconds = 5
    private static let mostCandidates = 400

    private let waveforms: WaveformComparison

    package init(_ waveform: CompactAudio) {
        waveforms = WaveformComparison(first: waveform, second: waveform)
    }

    /// All of them, in the order of their first places.
    package func repeats() throws -> [Repeat] {
        var found: [Repeat] = []
        for candidate in try candidates() {
            guard let measured = measure(candidate), !isImplied(measured, by: found) else { continue }
            found.append(measured)
        }
        return found.sorted { ($0.range.lowerBound, $0.distance) < ($1.range.lowerBound, $1.distance) }
    }

    /// Windows on end at one distance, nearest distance first; positions at the fine rate.
    private func candidates() throws -> [(range: Range<Int>, distance: Int)] {
        let waveform = waveforms.first
        let factor = Self.rate / Self.coarseRate
        let coarse = try Resampler.resample(
            AudioBuffer(samples: waveform.all, sampleRate: Self.rate), to: Self.coarseRate, quality: .fastest
        ).samples
        let cut = Self.cutSeconds * Self.coarseRate
        let hop = Self.hopSeconds * Self.coarseRate
        let least = Self.leastSeconds * Self.coarseRate
        guard coarse.count >= least + cut else { return [] }
        let sliding = SlidingCorrelation(coarse, cutLength: cut)
        var hits: [(distance: Int, start: Int)] = []
        for start in stride(from: 0, through: coarse.count - cut - least, by: hop) {
            guard waveform.isLoud(in: (start * factor)..<((start + cut) * factor)) else { continue }
            for place in sliding.places(
                resembling: start, from: start + least, least: 0.75, spacing: Self.coarseRate / 50)
            { hits.append((place.start - start, start)) }
        }
        hits.sort { ($0.distance, $0.start) < ($1.distance, $1.start) }
        var runs: [(range: Range<Int>, distance: Int)] = []
        var first = hits.startIndex
        while first < hits.endIndex {
            var end = first
            while end < hits.endIndex, hits[end].distance - hits[first].distance <= Self.coarseRate / 100 {
                end += 1
            }
            var starts = hits[first..<end].map(\.start).sorted()[...]
            while let begin = starts.popFirst() {
                var last = begin
                while let next = starts.first, next - last <= 2 * hop { last = starts.removeFirst() }
                runs.append(
                    ((begin * factor)..<((last + cut) * factor), hits[first].distance * factor))
            }
            first = end
        }
        // A loop gives thousands; the longest tell the same.
        let longest = runs.sorted {
            ($1.range.count, $0.distance, $0.range.lowerBound) < (
                $0.range.count, $1.distance, $1.range.lowerBound
            )
        }.prefix(Self.mostCandidates)
        return longest.sorted { ($0.distance, $0.range.lowerBound) < ($1.distance, $1.range.lowerBound) }
    }

    /// The exact distance and extent; nil when the fine comparison fails.
    private func measure(_ candidate: (range: Range<Int>, distance: Int)) -> Repeat? {
        let length = min(candidate.range.count, Self.leastSeconds * Self.rate)
        let start = candidate.range.lowerBound + (candidate.range.count - length) / 2
        let exact = waveforms.compare(
            start: start, distance: candidate.distance, length: length, maxLag: Self.rate / 100)
        guard exact.coefficient >= EquivalenceAudit.leastCoefficient else { return nil }
        let piece = Self.rate
        func isSame(_ place: Int) -> Bool {
            waveforms.coefficient(start: place, distance: exact.distance, length: piece)
                >= EquivalenceAudit.leastCoefficient
        }
        var begin = start
        var end = start + length
        while begin - piece / 2 >= 0, isSame(begin - piece / 2) { begin -= piece / 2 }
        while end + piece / 2 + exact.distance <= waveforms.second.count, isSame(end - piece / 2) {
            end += piece / 2
        }
        guard end - begin >= Self.leastSeconds * Self.rate else { return nil }
        return Repeat(range: begin..<end, distance: exact.distance, correlation: exact.coefficient)
    }

    /// Whether nearer occurrences already cover most of it.
    private func isImplied(_ candidate: Repeat, by found: [Repeat]) -> Bool {
        candidate.range.share(coveredBy: found.map(\.range)) >= 0.8
    }
}

extension Range<Int> {
    /// How much of it the others cover together, 0…1.
    package func share(coveredBy others: [Range<Int>]) -> Double {
        var covered = 0
        var end = lowerBound
        for overlap in others.map({ $0.clamped(to: self) }).sorted(by: { $0.lowerBound < $1.lowerBound })
        where overlap.upperBound > end {
            covered += overlap.upperBound - Swift.max(end, overlap.lowerBound)
            end = overlap.upperBound
        }
        return isEmpty ? 0 : Double(covered) / Double(count)
    }
}
