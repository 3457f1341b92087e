/// From rows of powers of all bands to ranked peaks.
package struct PeakPicker: Sendable {
    var pickers: [BandPicker]
    /// The bands that have rows.
    private let fed: [Int]
    /// The peaks by time, then frequency; complete after `finish`.
    package private(set) var peaks: [Peak] = []
    private var rowsUntilMerge = PeakPicker.rowsBetweenMerges
    private static let rowsBetweenMerges = 4096

    /// Keeps ranks below `keptRanks` and the rows of `keptFrames`, of audio that was sampled at `inputRate` hertz.
    package init(
        _ settings: Settings.Analysis, inputRate: Int, keptRanks: Int, keptFrames: Int = 0,
        measuresHeights: Bool = false
    ) {
        fed = settings.analysedBands(inputRate: inputRate).map(\.place)
        pickers = Band.all.map { band in
            BandPicker(
                settings, band: band, inputRate: inputRate, keptRanks: keptRanks,
                keptRows: Int(Float(keptFrames) / band.frame), measuresHeights: measuresHeights)
        }
    }

    /// Makes room for the peaks and the kept rows of audio of a length, so that growing arrays are not copied.
    package mutating func reserve(seconds: Double) {
        peaks.reserveCapacity(Int(seconds * Self.usualPeaksPerSecond))
        for place in fed { pickers[place].reserve(seconds: seconds) }
    }

    /// Most music has fewer, of all ranks.
    private static let usualPeaksPerSecond = 200.0

    /// log2 of the kept rows of each band, one after the other.
    package var spectrograms: [[Float]] { pickers.map(\.spectrogram) }

    package mutating func append(row: UnsafePointer<Float>, of band: Band) {
        pickers[band.place].append(row: row)
        rowsUntilMerge -= 1
        if rowsUntilMerge == 0 {
            rowsUntilMerge = Self.rowsBetweenMerges
            // Later peaks of every band are at this time or later.
            merge(before: fed.map { pickers[$0].settledTime }.min() ?? 0)
        }
    }

    package mutating func finish() {
        for place in pickers.indices { pickers[place].finish() }
        merge(before: .max)
    }

    /// Moves the peaks before a time from the bands to the end of `peaks`.
    private mutating func merge(before time: UInt32) {
        let first = peaks.count
        for place in pickers.indices { pickers[place].movePeaks(before: time, to: &peaks) }
        peaks[first...].sort(by: Peak.precedes)
    }
}

/// From rows of powers of a band to ranked peaks: local maxima → envelope → rank.
struct BandPicker: Sendable {
    private let band: Band
    private(set) var finder: CandidateFinder
    private(set) var envelope: Envelope
    private var ranking: PeakRanking
    private var heights: HeightMeter?
    private let envelopeReach: Int
    private let rankReach: Int
    private let envelopeWeight: Float
    private let keptRows: Int
    private var candidates: [CandidatePeak] = []
    private var scored = 0
    private var rowCount = 0

    /// The peaks so far, in no strict order.
    private(set) var peaks: [Peak] = []
    /// log2 of the first `keptRows` rows, one after the other.
    private(set) var spectrogram: [Float] = []

    init(
        _ settings: Settings.Analysis, band: Band, inputRate: Int, keptRanks: Int, keptRows: Int,
        measuresHeights: Bool
    ) {
        self.band = band
        let hertz = settings.hertz(of: band, inputRate: inputRate) ?? 0..<0
        heights = measuresHeights ? HeightMeter(bins: band.rowBins) : nil
        finder = CandidateFinder(settings, band: band, hertz: hertz)
        envelope = Envelope(
            reach: settings.envelopeFrames, lowBin: Int(hertz.lowerBound / band.binHertz),
            highBin: Int(hertz.upperBound / band.binHertz))
        ranking = PeakRanking(settings, bins: band.rowBins, keptRanks: keptRanks)
        envelopeReach = settings.envelopeFrames
        rankReach = settings.rankFrames
        envelopeWeight = settings.envelopeWeight
        self.keptRows = keptRows
    }

    mutating func reserve(seconds: Double) {
        let rows = min(keptRows, Int(seconds / (FrequencyScale.frameSeconds * Double(band.frame))) + 2)
        spectrogram.reserveCapacity(rows * band.rowBins)
    }

    /// Peaks that come later are at this time or later.
    ///
    /// The peaks of all frames that have their rank are known, and interpolation moves a peak by half a frame at most.
    var settledTime: UInt32 {
        let frame = Float(max(0, rowCount - 1 - envelopeReach - rankReach))
        return UInt32(frame * band.frame * Float(FrequencyScale.timeSteps))
    }

    mutating func movePeaks(before time: UInt32, to target: inout [Peak]) {
        target += peaks.lazy.filter { $0.time < time }
        peaks.removeAll { $0.time < time }
    }

    mutating func append(row: UnsafePointer<Float>) {
        keep(row)
        finder.append(row: row, to: &candidates)
        envelope.append(row: row)
        heights?.append(row: row)
        advance()
    }

    /// Takes the maxima of all rows before the rows, which come to ``append(expected:sums:)``.
    mutating func expect(_ maxima: [CandidatePeak]) { candidates = maxima }

    /// Takes a row whose maxima are known, and perhaps its sums for the envelope; measures no heights.
    mutating func append(expected row: UnsafePointer<Float>, sums: UnsafePointer<Int32>? = nil) {
        keep(row)
        if let sums { envelope.append(sums: sums) } else { envelope.append(row: row) }
        advance()
    }

    private mutating func keep(_ row: UnsafePointer<Float>) {
        guard rowCount < keptRows else { return }
        let start = spectrogram.count
        spectrogram.append(contentsOf: UnsafeBufferPointer(start: row, count: band.rowBins))
        spectrogram.withUnsafeMutableBufferPointer { spectrogram in
            guard let base = spectrogram.baseAddress else { return }
            BinaryLogarithm.apply(base + start, count: band.rowBins, floor: 0)
        }
    }

    private mutating func advance() {
        rowCount += 1
        if rowCount > envelopeReach { scoreFrame(rowCount - 1 - envelopeReach) }
    }

    /// Ends the rows; `peaks` is then complete.
    mutating func finish() {
        finder.finish(to: &candidates)
        for row in rowCount..<(rowCount + envelopeReach) {
            envelope.shrink()
            if row >= envelopeReach { scoreFrame(row - envelopeReach) }
        }
        ranking.rank(completeThrough: .max, to: &peaks)
    }

    /// Subtracts the envelope from the candidates of the frame at its centre, and ranks all that are ready.
    private mutating func scoreFrame(_ frame: Int) {
        let first = scored
        while scored < candidates.count, Int(candidates[scored].frame) == frame {
            candidates[scored].storedLevel = Peak.level(log2: candidates[scored].level)
            candidates[scored].level -=
                envelopeWeight * envelope.level(aroundBin: Int(candidates[scored].bin))
            if let heights {
                candidates[scored].height = Peak.height(
                    log2: heights.height(
                        frame: Float(candidates[scored].time)
                            / (band.frame * Float(FrequencyScale.timeSteps)),
                        bin: Float(candidates[scored].frequency)
                            / (band.bin * Float(FrequencyScale.frequencySteps))))
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
