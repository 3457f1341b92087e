/// Ranks candidates among their neighbours and keeps the best: density without thresholds or blocks.
///
/// A candidate's rank is the number of candidates with a higher level above the envelope within
/// ±0.32 s and ±0.5 octave. It does not depend on level, on slow equalisation, or on where the
/// audio was cut further away than the neighbourhood.
struct PeakRanking: Sendable {
    private let keptRanks: Int
    private let frames: Int32
    private let octaves: Float
    private let octaveOfBin: [Float]
    private var waiting: [CandidatePeak] = []
    private var next = 0

    init(_ settings: Settings.Analysis, keptRanks: Int) {
        self.keptRanks = keptRanks
        frames = Int32(settings.rankFrames)
        octaves = settings.rankOctaves
        octaveOfBin = (0..<SpectrumRows.rowBins).map { FrequencyScale.octaves(UInt16(max(1, $0) * 64)) }
    }

    /// Takes scored candidates of one frame, the frames in order.
    mutating func append(_ candidates: ArraySlice<CandidatePeak>) { waiting.append(contentsOf: candidates) }

    /// Appends the kept peaks of all frames that `frame` and later ones cannot change any more.
    mutating func rank(completeThrough frame: Int, to peaks: inout [Peak]) {
        guard next < waiting.count, Int(waiting[next].frame) <= frame - Int(frames) else { return }
        waiting.withUnsafeBufferPointer { waiting in
            octaveOfBin.withUnsafeBufferPointer { octaveOfBin in
                while next < waiting.count, Int(waiting[next].frame) <= frame - Int(frames) {
                    let rank = rank(of: next, in: waiting, octaveOfBin)
                    if rank < keptRanks {
                        let peak = waiting[next]
                        peaks.append(Peak(time: peak.time, frequency: peak.frequency, rank: UInt8(rank)))
                    }
                    next += 1
                }
            }
        }
        if next > 4096 { dropSettled() }
    }

    private mutating func dropSettled() {
        let keepFrom = waiting[next - 1].frame - 2 * frames
        let unneeded = waiting.firstIndex { $0.frame >= keepFrom } ?? 0
        waiting.removeFirst(unneeded)
        next -= unneeded
    }

    private func rank(
        of index: Int, in waiting: UnsafeBufferPointer<CandidatePeak>,
        _ octaveOfBin: UnsafeBufferPointer<Float>
    ) -> Int {
        let peak = waiting[index]
        let octave = octaveOfBin[Int(peak.bin)]
        var higher = 0
        var other = index - 1
        while other >= 0, waiting[other].frame >= peak.frame - frames, higher < keptRanks {
            if waiting[other].level > peak.level,
                abs(octaveOfBin[Int(waiting[other].bin)] - octave) <= octaves
            {
                higher += 1
            }
            other -= 1
        }
        other = index + 1
        while other < waiting.count, waiting[other].frame <= peak.frame + frames, higher < keptRanks {
            if waiting[other].level > peak.level,
                abs(octaveOfBin[Int(waiting[other].bin)] - octave) <= octaves
            {
                higher += 1
            }
            other += 1
        }
        return higher
    }
}
