extension SpectralContrast {
    /// What a place is taken for where no peak was kept, in log2 power above what surrounds it.
    private static let background: Float = -0.5
    /// By how much a peak falls off, for the square of the distance in rows.
    private static let slopeOfRows: Float = 0.35
    /// By how much a peak falls off, for the square of the distance in bins: the main lobe of a Hann window.
    private static let slopeOfBins: Float = 2

    /// Stands in for the spectrogram of a query of which only peaks and their heights are known.
    ///
    /// Each peak is painted as a hill onto level ground. At the edge of what can be found this finds a few in a hundred
    /// queries less than the spectrogram does.
    init(peaks: [Peak], rowCount: Int) {
        var levels = [Float](repeating: Self.background, count: rowCount * SpectrumRows.rowBins)
        levels.withUnsafeMutableBufferPointer { levels in
            for peak in peaks { Self.paint(peak, rowCount: rowCount, onto: levels) }
        }
        self.init(heights: levels, rowCount: rowCount)
    }

    private static func paint(
        _ peak: Peak, rowCount: Int, onto levels: UnsafeMutableBufferPointer<Float>
    ) {
        let frame = Float(peak.time) / Float(FrequencyScale.steps)
        let bin = Float(peak.frequency) / Float(FrequencyScale.steps)
        let rows = max(0, Int(frame) - 3)..<max(0, min(rowCount, Int(frame) + 5))
        let bins = max(0, Int(bin) - 2)..<min(SpectrumRows.rowBins, Int(bin) + 4)
        guard !rows.isEmpty, !bins.isEmpty else { return }
        for row in rows {
            let distance = Float(row) - frame
            let top = peak.heightLog2 - slopeOfRows * distance * distance
            for column in bins {
                let aside = Float(column) - bin
                let cell = row * SpectrumRows.rowBins + column
                levels[cell] = max(levels[cell], top - slopeOfBins * aside * aside)
            }
        }
    }
}
