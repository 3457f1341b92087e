internal import CKernels

/// Ranks candidates among their neighbours and keeps the best: density without thresholds or blocks.
///
/// A candidate's rank is the number of candidates of its band with a higher level above the envelope, within ±10
/// frames and ±0.5 octave. It does not depend on level, on slow equalisation, or on audio outside this neighbourhood.
struct PeakRanking: Sendable {
    private let keptRanks: Int
    private let frames: Int32
    private let octaves: Float
    private let octaveOfBin: [Float]
    private var waiting: [CandidatePeak] = []
    // The levels of `waiting`, and the octaves of its bins.
    private var levels: [Float] = []
    private var places: [Float] = []
    private var next = 0
    private var first = 0
    private var last = 0

    init(_ settings: Settings.Analysis, bins: Int, keptRanks: Int) {
        self.keptRanks = keptRanks
        frames = Int32(settings.rankFrames)
        octaves = settings.rankOctaves
        octaveOfBin = Array(Self.octavesOfBins.prefix(bins))
    }

    private static let octavesOfBins = (0..<1024).map {
        FrequencyScale.octaves(UInt16(max(1, $0) * FrequencyScale.frequencySteps))
    }

    mutating func append(_ candidates: ArraySlice<CandidatePeak>) {
        waiting.append(contentsOf: candidates)
        for candidate in candidates {
            levels.append(candidate.level)
            places.append(octaveOfBin[Int(candidate.bin)])
        }
    }

    /// Appends the kept peaks of all frames that do not depend on frames after `frame`.
    mutating func rank(completeThrough frame: Int, to peaks: inout [Peak]) {
        while next < waiting.count, Int(waiting[next].frame) <= frame - Int(frames) {
            let peak = waiting[next]
            while waiting[first].frame < peak.frame - frames { first += 1 }
            while last < waiting.count, waiting[last].frame <= peak.frame + frames { last += 1 }
            let rank = countHigher(than: next, within: first..<last)
            if rank < keptRanks {
                peaks.append(
                    Peak(
                        time: peak.time, frequency: peak.frequency, rank: UInt8(rank), height: peak.height,
                        level: peak.storedLevel))
            }
            next += 1
        }
        if first > 4096 { dropSettled() }
    }

    private mutating func dropSettled() {
        waiting.removeFirst(first)
        levels.removeFirst(first)
        places.removeFirst(first)
        next -= first
        last -= first
        first = 0
    }

    /// How many candidates of `range` are close enough in frequency and have a higher level: all below `keptRanks`.
    private func countHigher(than index: Int, within range: Range<Int>) -> Int {
        levels.withUnsafeBufferPointer { levels in
            places.withUnsafeBufferPointer { places in
                guard let levels = levels.baseAddress, let places = places.baseAddress else { return 0 }
                return Int(
                    earshot_count_higher(
                        levels + range.lowerBound, places + range.lowerBound, range.count, levels[index],
                        places[index] - octaves, places[index] + octaves, Int32(keptRanks)))
            }
        }
    }
}
