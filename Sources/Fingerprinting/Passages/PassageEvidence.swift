import AudioCore
import Glibc

/// Which peaks of a reference are heard, one after the other, along one line through a recording.
struct PassageEvidence: Sendable {
    /// A peak of the reference that the recording should have.
    struct ExpectedPeak: Sendable {
        /// When it should be heard, in 1/64 frame of the recording.
        var time: Int
        /// The peak of the recording that it is: its time, then its frequency; nil if there is none.
        var heard: Int?
    }

    /// In order of time.
    private(set) var peaks: [ExpectedPeak] = []

    /// The share of a reference's peaks that any music has by chance.
    static let chance = 0.13
    /// The evidence that ends a segment when it is lost.
    private static let mostLost = 30.0

    mutating func add(_ more: [ExpectedPeak]) { peaks += more }

    /// A segment of peaks, and the log-likelihood ratio of a passage there against chance.
    struct Segment {
        var places: Range<Int>
        var evidence: Double
        var rate: Double
    }

    /// The segments with most evidence, in order of time.
    ///
    /// - Parameter seen: The frames in which the reference was recognised.
    func segments(least: Double, seen: Range<Int>) -> [Segment] {
        let steps = FrequencyScale.timeSteps
        let first = peaks.partitioningIndex { $0.time >= seen.lowerBound * steps }
        let last = peaks.partitioningIndex { $0.time >= seen.upperBound * steps }
        // A part that is drowned has a lower share than the rest.
        let segments = segments(rate: min(max(0.6 * rate(first..<last), 0.22), 0.5))
        var joined: [Range<Int>] = []
        for segment in segments where segment.evidence >= Self.leastPart {
            if let last = joined.last,
                peaks[segment.places.lowerBound].time - peaks[last.upperBound - 1].time
                    < Self.longestGapFrames * steps
            {
                joined[joined.count - 1] = last.lowerBound..<segment.places.upperBound
            } else {
                joined.append(segment.places)
            }
        }
        if joined.isEmpty, let best = segments.max(by: { $0.evidence < $1.evidence }) {
            joined = [best.places]
        }
        return joined.map(refined).filter { $0.evidence >= least }
    }

    /// The evidence of a part that makes one passage with what is before or after a gap.
    private static let leastPart = 12.0
    /// The longest part of a passage in which nothing of it is heard: 15 s.
    private static let longestGapFrames = 469

    /// The segment whose edges fit best near those of a rough one, at the share that is heard inside.
    private func refined(_ rough: Range<Int>) -> Segment {
        let rate = rate(rough)
        let reach = 100
        let begin = edge(
            in: max(0, rough.lowerBound - reach)...min(rough.upperBound - 1, rough.lowerBound + reach),
            rate: rate, ends: false)
        let end = edge(
            in: max(
                begin + 1, rough.upperBound - reach)...min(
                    peaks.count, max(begin + 1, rough.upperBound + reach)), rate: rate, ends: true)
        return Segment(
            places: begin..<end, evidence: evidence(of: begin..<end, rate: rate), rate: rate)
    }

    /// The place with the least sum of evidence before it, or with the most.
    private func edge(in places: ClosedRange<Int>, rate: Double, ends: Bool) -> Int {
        var (sum, best, place) = (0.0, 0.0, places.lowerBound)
        let (hit, miss) = Self.weights(rate)
        for next in places.dropFirst() {
            sum += peaks[next - 1].heard != nil ? hit : miss
            if ends ? sum > best : sum < best { (best, place) = (sum, next) }
        }
        return place
    }

    /// What a peak that is heard adds, and one that is not.
    static func weights(_ rate: Double) -> (hit: Double, miss: Double) {
        (log(rate / chance), log((1 - rate) / (1 - chance)))
    }

    /// The share of peaks that is heard.
    private func rate(_ places: Range<Int>) -> Double {
        let heard = Double(peaks[places].count { $0.heard != nil })
        return min(max((heard + 1) / (Double(places.count) + 2), 0.22), 0.97)
    }

    /// All segments whose evidence never falls below zero, up to their most.
    private func segments(rate: Double) -> [Segment] {
        let (hit, miss) = Self.weights(rate)
        var found: [Segment] = []
        var (sum, start) = (0.0, 0)
        var best = (sum: 0.0, end: 0)
        func close() {
            if best.sum > 0 {
                found.append(Segment(places: start..<best.end, evidence: best.sum, rate: rate))
            }
        }
        for place in peaks.indices {
            sum += peaks[place].heard != nil ? hit : miss
            if sum > best.sum { best = (sum, place + 1) }
            if sum <= 0 || sum < best.sum - Self.mostLost {
                close()
                (sum, start, best) = (0, place + 1, (0, place + 1))
            }
        }
        close()
        return found
    }

    /// Whether the passage has ended at the last peak: nothing of it was heard for long.
    var hasEnded: Bool {
        let latest = peaks.suffix(240)
        guard latest.count == 240 else { return false }
        return Double(latest.count { $0.heard != nil }) < 240 * 0.22
    }

    /// The times of a segment's edges, in frames of the recording: half way to the neighbour that is not heard.
    func edges(of segment: Segment) -> Range<Double> {
        let (first, last) = (segment.places.lowerBound, segment.places.upperBound - 1)
        let steps = Double(FrequencyScale.timeSteps)
        let begin = Double(peaks[first].time) / steps
        let end = Double(peaks[last].time) / steps
        let before = first > 0 ? Double(peaks[first - 1].time) / steps : begin
        let after = last + 1 < peaks.count ? Double(peaks[last + 1].time) / steps : end
        return begin - min(2, (begin - before) / 2)..<end + min(2, (after - end) / 2)
    }

    /// The evidence of the peaks between a segment and an earlier beginning or a later end.
    func evidence(of places: Range<Int>, rate: Double) -> Double {
        let (hit, miss) = Self.weights(rate)
        return peaks[places].reduce(0) { $0 + ($1.heard != nil ? hit : miss) }
    }

    /// The peaks of the recording that a segment explains, sorted.
    func explained(by places: Range<Int>) -> [Int] { peaks[places].compactMap(\.heard).sorted() }
}
