import AudioCore
import Glibc

/// Which peaks of a reference are heard, one after the other, along one path through a recording.
struct PassageEvidence: Sendable {
    /// A peak of the reference that the recording should have.
    struct ExpectedPeak: Sendable {
        /// When it should be heard, in 1/64 frame of the recording.
        var time: Int
        /// Its time in the reference, in 1/64 frame.
        var referenceTime: Int
        /// The peak of the recording that it is: its time, then its frequency; nil if there is none.
        var heard: Int?
        /// When it is heard, in frames; nil if it is not.
        var heardFrame: Double? { heard.map { Double($0 >> 16) / Double(FrequencyScale.timeSteps) } }
    }

    /// In order of time.
    private(set) var peaks: [ExpectedPeak] = []

    /// The share of a reference's peaks that any music has by chance.
    private static let chance = 0.13

    mutating func add(_ more: [ExpectedPeak]) { peaks += more }

    /// What a peak that is heard adds to the log-likelihood ratio of a passage against chance, and one that is not.
    static func weights(_ rate: Double) -> (hit: Double, miss: Double) {
        (log(rate / chance), log((1 - rate) / (1 - chance)))
    }

    /// The share that is expected where some of a passage is drowned, by the share that is heard on the whole.
    static func roughRate(_ rate: Double) -> Double { min(max(0.6 * rate, leastRate), 0.5) }

    /// The least share of peaks that is heard in a passage.
    static let leastRate = 0.22

    /// The share of peaks that is heard.
    func rate(_ places: Range<Int>) -> Double {
        let heard = Double(peaks[places].count { $0.heard != nil })
        return min(max((heard + 1) / (Double(places.count) + 2), Self.leastRate), 0.97)
    }

    /// The places of peaks between two times, in frames.
    func places(in frames: Range<Double>) -> Range<Int> {
        let steps = Double(FrequencyScale.timeSteps)
        let first = peaks.partitioningIndex { Double($0.time) >= frames.lowerBound * steps }
        return first..<max(first, peaks.partitioningIndex { Double($0.time) >= frames.upperBound * steps })
    }

    /// The log-likelihood ratio of some peaks.
    func sum(of places: Range<Int>, rate: Double) -> Double {
        let (hit, miss) = Self.weights(rate)
        return peaks[places].reduce(0) { $0 + ($1.heard != nil ? hit : miss) }
    }

    /// The least number of heard peaks that a line is fitted to.
    private static let leastFitted = 24
    /// Near the edges of a straight part peaks of its neighbours are heard: 1.5 s.
    private static let marginFrames = 48.0

    /// A line through the peaks that are heard within some frames: more exact than the sightings.
    func fitted(_ line: PassageLine, in frames: Range<Double>) -> PassageLine {
        let margin = min(Self.marginFrames, frames.length / 4)
        let inner = frames.lowerBound + margin..<frames.upperBound - margin
        let heard = peaks[places(in: inner)].compactMap { peak in
            peak.heardFrame.map { ($0, Double(peak.referenceTime) / Double(FrequencyScale.timeSteps)) }
        }
        guard heard.count >= Self.leastFitted else { return line }
        var line = line
        line.referenceFrame = line.referenceFrame(at: heard[0].0)
        line.frame = heard[0].0
        // Pairs by chance are anywhere in the box of a pair, so those far from the line weigh less with each round.
        for width in [0.8, 0.4, 0.25] {
            var (sum, sumX, sumY, sumXX, sumXY) = (0.0, 0.0, 0.0, 0.0, 0.0)
            for (frame, reference) in heard {
                let x = frame - heard[0].0
                let y = reference - line.referenceFrame(at: frame)
                let weight = exp(-y * y / (2 * width * width))
                sum += weight
                sumX += weight * x
                sumY += weight * y
                sumXX += weight * x * x
                sumXY += weight * x * y
            }
            let spread = sumXX - sumX * sumX / sum
            guard spread > 0 else { return line }
            let slope = (sumXY - sumX * sumY / sum) / spread
            line.referenceFrame += (sumY - slope * sumX) / sum
            line.timeSkew += slope
        }
        return line
    }

    /// Whether the passage has ended at the last peak: nothing of it was heard for long.
    var hasEnded: Bool {
        let latest = peaks.suffix(240)
        guard latest.count == 240 else { return false }
        return Double(latest.count { $0.heard != nil }) < 240 * Self.leastRate
    }

    /// The frames of the recording from the first of some peaks to the last: half way to the neighbours.
    func frames(of places: Range<Int>) -> Range<Double> {
        let (first, last) = (places.lowerBound, places.upperBound - 1)
        let steps = Double(FrequencyScale.timeSteps)
        let begin = Double(peaks[first].time) / steps
        let end = Double(peaks[last].time) / steps
        let before = first > 0 ? Double(peaks[first - 1].time) / steps : begin
        let after = last + 1 < peaks.count ? Double(peaks[last + 1].time) / steps : end
        return begin - min(2, (begin - before) / 2)..<end + min(2, (after - end) / 2)
    }
}

extension Catalog {
    /// The peaks that a reference should have within some frames of a recording if it is heard on a line.
    ///
    /// - Parameter start: The frame of the recording at the query's first.
    func expectedPeaks(
        of reference: Int, on line: PassageLine, in query: Query, start: Int, _ frames: Range<Double>
    ) -> [PassageEvidence.ExpectedPeak] {
        let steps = FrequencyScale.timeSteps
        let aligned = AlignedPeaks(
            reference: reference,
            startSeconds: line.referenceFrame(at: Double(start)) * FrequencyScale.frameSeconds,
            frequencySkew: line.frequencySkew, timeSkew: line.timeSkew, in: query, catalog: self)
        let peaks = query.peaks.filter { $0.rank < settings.analysis.queryRank }
        var heard = [Int](repeating: -1, count: aligned.reference.count)
        aligned.forEachPart { first, _, pairs in
            for pair in pairs {
                let peak = peaks[first + Int(pair.query)]
                heard[Int(pair.reference)] = (Int(peak.time) + start * steps) << 16 | Int(peak.frequency)
            }
        }
        return aligned.expected.compactMap { place in
            let frame = aligned.queryFrame(of: aligned.reference[place]) + Double(start)
            guard frames.contains(frame) else { return nil }
            return .init(
                time: Int(bounded: frame * Double(steps)), referenceTime: Int(aligned.reference[place].time),
                heard: heard[place] < 0 ? nil : heard[place])
        }
    }
}
