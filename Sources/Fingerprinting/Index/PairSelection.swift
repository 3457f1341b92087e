import AudioCore

/// Chooses the later peaks of a band to pair with an anchor: those nearest in time and frequency.
struct PairSelection: Sendable {
    /// The shortest and longest time between the peaks, as in `Peak`.
    private let shortest: UInt32
    private let longest: UInt32
    private let widest: Float
    private let most: Int
    private let timeCost: Float
    private let ratioCost: Float
    private var costs: [Float]
    /// The indices of the chosen peaks, nearest first; only as many as `select` returned are valid.
    private(set) var targets: [Int32]

    init(_ settings: Settings.Index, band: Band, most: Int) {
        shortest = UInt32(bounded: band.frame * Float(FrequencyScale.timeSteps))
        longest = UInt32(settings.longestFrames) * shortest
        widest = settings.widestOctaves
        self.most = most
        timeCost = 1 / Float(longest)
        ratioCost = settings.ratioWeight / settings.widestOctaves
        costs = [Float](repeating: 0, count: most)
        targets = [Int32](repeating: 0, count: most)
    }

    /// Chooses among the peaks after `anchor` in a list in order of time.
    ///
    /// - Returns: The number of chosen peaks.
    mutating func select(
        anchor: Int, times: UnsafeBufferPointer<UInt32>, octaves: UnsafeBufferPointer<Float>
    ) -> Int {
        let end = times.count
        let time = times[anchor]
        let octave = octaves[anchor]
        var count = 0
        var other = anchor + 1
        return costs.withUnsafeMutableBufferPointer { costs in
            targets.withUnsafeMutableBufferPointer { targets in
                while other < end, times[other] - time <= longest {
                    let difference = times[other] - time
                    let ratio = abs(octaves[other] - octave)
                    if difference >= shortest, ratio <= widest {
                        let cost = Float(difference) * timeCost + ratio * ratioCost
                        if count < most || cost < costs[count - 1] {
                            var place = count < most ? count : count - 1
                            while place > 0, costs[place - 1] > cost {
                                costs[place] = costs[place - 1]
                                targets[place] = targets[place - 1]
                                place -= 1
                            }
                            costs[place] = cost
                            targets[place] = Int32(other)
                            if count < most { count += 1 }
                        }
                    }
                    other += 1
                }
                return count
            }
        }
    }
}
