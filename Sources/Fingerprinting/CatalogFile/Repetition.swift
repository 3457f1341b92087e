import AudioCore

/// How much of a recording comes again after a fixed time, as in a loop.
package struct Repetition: Sendable {
    /// The share of peaks that come again after `seconds`, of those with as much audio after them.
    package let share: Double
    package let seconds: Double

    /// The least share that is a loop.
    ///
    /// Loops have 0.7 and more, as MP3 0.55. Of 118 pieces of game music two have more, which repeat
    /// 10 s and 15 s throughout.
    static let leastShare = 0.5
    private static let lags = 0.64...60.0
    /// A loop is heard three times at least.
    private static let leastTimes = 3
    /// Lags are counted in half frames, with both neighbours.
    private static let stepsPerLag = FrequencyScale.timeSteps / 2
    /// Frequencies within this many steps are the same.
    private static let frequencySteps = 8
    /// A shorter lag with this share of the best one's count is the period; longer ones are its multiples.
    private static let shareOfBest = 0.75
    private static let leastPeaks = 50

    /// Nil for audio with few peaks or of less than three times the shortest lag.
    package init?(of signature: Signature) {
        let peaks = signature.peaks
        let lagSeconds = FrequencyScale.frameSeconds / 2
        guard peaks.count >= Self.leastPeaks, let end = peaks.last?.time else { return nil }
        let longest = min(
            Int(bounded: Self.lags.upperBound / lagSeconds), Int(end) / Self.leastTimes / Self.stepsPerLag)
        let shortest = Int(bounded: Self.lags.lowerBound / lagSeconds)
        guard longest > shortest + 1 else { return nil }
        var counts = [Int](repeating: 0, count: longest + 2)
        var times: [UInt16: [UInt32]] = [:]
        for peak in peaks {
            times[peak.frequency / UInt16(Self.frequencySteps), default: []].append(peak.time)
        }
        for times in times.values {
            for first in times.indices {
                for second in times[(first + 1)...] {
                    let lag = Int(second - times[first]) / Self.stepsPerLag
                    guard lag < counts.count else { break }
                    counts[lag] += 1
                }
            }
        }
        // Peaks are in order of time.
        var before = peaks.count
        var shares = [Double](repeating: 0, count: longest + 1)
        for lag in 1...longest {
            while before > 0, Int(peaks[before - 1].time) + lag * Self.stepsPerLag > Int(end) { before -= 1 }
            guard lag >= shortest else { continue }
            shares[lag] = Double(counts[lag - 1] + counts[lag] + counts[lag + 1]) / Double(max(1, before))
        }
        guard let best = shares.max(),
            let first = shares.firstIndex(where: { $0 >= Self.shareOfBest * best }),
            let peak = (first...min(first + 2, longest)).max(by: { shares[$0] < shares[$1] })
        else { return nil }
        share = min(1, best)
        seconds = (Double(peak) + 0.5) * lagSeconds
    }
}
