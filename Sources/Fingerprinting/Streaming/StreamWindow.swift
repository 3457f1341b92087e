import AudioCore

/// The latest seconds of a stream as rows of power of each band; memory does not grow with the stream.
struct StreamWindow {
    private let settings: Settings
    private var spectrum: SpectrumStream
    private var rings: [RowRing]

    /// - Throws: `FingerprintingError.unsupportedFormat` for a rate that cannot be analysed.
    init(settings: Settings, sampleRate: Int, channelCount: Int, longestSeconds: Double) throws {
        self.settings = settings
        let analysis = settings.analysis
        spectrum = try SpectrumStream(
            analysis, sampleRate: sampleRate, channelCount: channelCount,
            fft: FramePairFFT(size: analysis.windowSize))
        rings = Band.all.map { band in
            RowRing(
                capacity: Int(longestSeconds / (analysis.frameSeconds * Double(band.frame))) + 8,
                bins: band.rowBins)
        }
    }

    /// - Throws: `FingerprintingError` when a sample is not finite, or rate or channels change.
    mutating func append(_ audio: borrowing AudioBuffer) throws {
        try Self.append(audio, to: &spectrum, &rings)
    }

    private static func append(
        _ audio: borrowing AudioBuffer, to spectrum: inout SpectrumStream, _ rings: inout [RowRing]
    ) throws {
        try spectrum.append(audio) { rings[$0.place].append($1) }
    }

    /// A query of the stream since a time, or since the oldest stored row.
    ///
    /// - Returns: The query, and the time of its first sample in seconds.
    func query(since seconds: Double) throws -> (query: Query, startSeconds: Double) {
        let frameSeconds = settings.analysis.frameSeconds
        // The last rows reach beyond the latest sample: a copy of the spectrum makes them as if the stream ended here.
        var ended = spectrum
        var last = Band.all.map { _ in [Float]() }
        try ended.finish { band, row in
            last[band.place].append(contentsOf: UnsafeBufferPointer(start: row, count: band.rowBins))
        }
        let first = firstFrame(since: seconds, last)
        var picker = PeakPicker(
            settings.analysis, inputRate: spectrum.sampleRate, keptRanks: Peak.ranks,
            keptFrames: settings.verification.contrastFrames)
        for band in Band.all {
            let ring = rings[band.place]
            let firstRow = Int(Float(first) / band.frame)
            ring.forEach(from: firstRow) { picker.append(row: $0, of: band) }
            last[band.place].withUnsafeBufferPointer { rows in
                guard let base = rows.baseAddress else { return }
                for row in stride(
                    from: max(firstRow - ring.count, 0), to: rows.count / band.rowBins, by: 1)
                {
                    picker.append(row: base + row * band.rowBins, of: band)
                }
            }
        }
        picker.finish()
        let count = rings[Band.middle.place].count + last[Band.middle.place].count / Band.middle.rowBins
        let query = Query(
            picker, durationSeconds: Double(max(0, count - 1 - first)) * frameSeconds,
            analysisIdentity: settings.analysis.identity)
        return (query, Double(first) * frameSeconds)
    }

    /// The first frame since a time of which every band still has its row: whole frames of the lowest band.
    private func firstFrame(since seconds: Double, _ last: [[Float]]) -> Int {
        let analysed = settings.analysis.analysedBands(inputRate: spectrum.sampleRate)
        let lowest = analysed.first ?? Band.low
        let wanted = Int((seconds / (settings.analysis.frameSeconds * Double(lowest.frame))).rounded(.up))
        let kept = Band.all.map { band in
            Int((Float(rings[band.place].firstKept) * band.frame / lowest.frame).rounded(.up))
        }
        let count = rings[lowest.place].count + last[lowest.place].count / lowest.rowBins
        return Int(lowest.frame) * min(max(wanted, kept.max() ?? 0), max(0, count - 1))
    }
}

struct RowRing: Sendable {
    private let capacity: Int
    private let bins: Int
    private var rows: [Float]
    private(set) var count = 0

    init(capacity: Int, bins: Int) {
        self.capacity = capacity
        self.bins = bins
        rows = [Float](repeating: 0, count: capacity * bins)
    }

    mutating func append(_ row: UnsafePointer<Float>) {
        rows.withUnsafeMutableBufferPointer { rows in
            guard let base = rows.baseAddress else { return }
            (base + count % capacity * bins).update(from: row, count: bins)
        }
        count += 1
    }

    var firstKept: Int { max(0, count - capacity) }

    /// Passes the rows from `first` on that are still stored.
    func forEach(from first: Int, _ body: (UnsafePointer<Float>) -> Void) {
        rows.withUnsafeBufferPointer { rows in
            guard let base = rows.baseAddress else { return }
            for row in stride(from: max(first, firstKept), to: count, by: 1) {
                body(base + row % capacity * bins)
            }
        }
    }
}
