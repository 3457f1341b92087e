/// From rows of powers to ranked peaks: local maxima → envelope → rank.
struct PeakPicker: Sendable {
    private var finder: CandidateFinder
    private var envelope: Envelope
    private var ranking: PeakRanking
    private var heights: HeightMeter?
    private let envelopeReach: Int
    private let envelopeWeight: Float
    private let keptRows: Int
    private var candidates: [CandidatePeak] = []
    private var scored = 0
    private var rowCount = 0

    /// The peaks so far, in no strict order before `finish`.
    private(set) var peaks: [Peak] = []
    /// log2 of the first `keptRows` rows, one after the other.
    private(set) var spectrogram: [Float] = []

    /// Keeps ranks below `keptRanks` and the first `keptRows` rows of audio that was sampled at `inputRate` hertz.
    init(
        _ settings: Settings.Analysis, inputRate: Int, keptRanks: Int, keptRows: Int = 0,
        measuresHeights: Bool = false
    ) {
        // Above the filter's edge audio of a low rate has only images.
        let highestHertz = min(settings.highestHertz, 0.46 * Double(inputRate))
        heights = measuresHeights ? HeightMeter() : nil
        finder = CandidateFinder(settings, highestHertz: highestHertz)
        envelope = Envelope(
            reach: settings.envelopeFrames, lowBin: Int(settings.lowestHertz / settings.binHertz),
            highBin: Int(highestHertz / settings.binHertz))
        ranking = PeakRanking(settings, keptRanks: keptRanks)
        envelopeReach = settings.envelopeFrames
        envelopeWeight = settings.envelopeWeight
        self.keptRows = keptRows
    }

    mutating func append(row: UnsafePointer<Float>) {
        if rowCount < keptRows {
            let start = spectrogram.count
            spectrogram.append(contentsOf: UnsafeBufferPointer(start: row, count: SpectrumRows.rowBins))
            spectrogram.withUnsafeMutableBufferPointer { spectrogram in
                guard let base = spectrogram.baseAddress else { return }
                BinaryLogarithm.apply(base + start, count: SpectrumRows.rowBins, floor: 0)
            }
        }
        finder.append(row: row, to: &candidates)
        envelope.append(row: row)
        heights?.append(row: row)
        rowCount += 1
        if rowCount > envelopeReach { scoreFrame(rowCount - 1 - envelopeReach) }
    }

    /// Ends the rows; `peaks` is then complete, by time, then frequency.
    mutating func finish() {
        finder.finish(to: &candidates)
        for row in rowCount..<(rowCount + envelopeReach) {
            envelope.shrink()
            if row >= envelopeReach { scoreFrame(row - envelopeReach) }
        }
        ranking.rank(completeThrough: .max, to: &peaks)
        peaks.sort(by: Peak.precedes)
    }

    /// Subtracts the envelope from the candidates of the frame at its centre, and ranks all that are ready.
    private mutating func scoreFrame(_ frame: Int) {
        let first = scored
        while scored < candidates.count, Int(candidates[scored].frame) == frame {
            candidates[scored].level -=
                envelopeWeight * envelope.level(aroundBin: Int(candidates[scored].bin))
            if let heights {
                candidates[scored].height = Peak.height(
                    log2: heights.height(
                        frame: Float(candidates[scored].time) / Float(FrequencyScale.steps),
                        bin: Float(candidates[scored].frequency) / Float(FrequencyScale.steps)))
            }
            scored += 1
        }
        ranking.append(candidates[first..<scored])
        ranking.rank(completeThrough: frame, to: &peaks)
        if scored > 1024 {
            candidates.removeFirst(scored)
            scored = 0
        }
    }
}
