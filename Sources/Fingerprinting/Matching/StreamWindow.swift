import AudioCore

/// The latest seconds of a stream as rows of power of each band; memory does not grow with the stream.
struct StreamWindow {
    private let settings: Settings
    private var spectrum: SpectrumStream
    private var peaks: PeakWindow

    /// - Throws: `FingerprintingError.unsupportedFormat` for a rate that cannot be analysed.
    init(
        settings: Settings, sampleRate: Int, channelCount: Int, longestSeconds: Double,
        mix: ChannelMix = .audible
    ) throws {
        self.settings = settings
        let analysis = settings.analysis
        spectrum = try SpectrumStream(
            analysis, sampleRate: sampleRate, channelCount: channelCount,
            fft: FramePairFFT(size: analysis.windowSize), mix: mix)
        peaks = PeakWindow(
            analysis, inputRate: sampleRate, keptRanks: Peak.ranks,
            keptFrames: settings.verification.contrastFrames, seconds: longestSeconds)
    }

    /// Whether two channels have had more power in their difference lately, and it is not what is analysed.
    var channelsOppose: Bool { spectrum.channelsOpposeLately }

    /// - Throws: `FingerprintingError` when a sample is not finite, or rate or channels change.
    mutating func append(_ audio: AudioBuffer) throws {
        try Self.append(audio, to: &spectrum, &peaks)
    }

    private static func append(
        _ audio: AudioBuffer, to spectrum: inout SpectrumStream, _ peaks: inout PeakWindow
    ) throws {
        try spectrum.append(audio) { peaks.append(row: $1, of: $0) }
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
        let count = peaks.rowCount(of: .middle) + last[Band.middle.place].count / Band.middle.rowBins
        let query = Query(
            peaks.picker(since: first, last: last),
            durationSeconds: Double(max(0, count - 1 - first)) * frameSeconds,
            analysisIdentity: settings.analysis.identity)
        return (query, Double(first) * frameSeconds)
    }

    /// The first frame since a time of which every band still has its row: whole frames of the lowest band.
    private func firstFrame(since seconds: Double, _ last: [[Float]]) -> Int {
        let analysed = settings.analysis.analysedBands(inputRate: spectrum.sampleRate)
        let lowest = analysed.first ?? Band.low
        let wanted = Int(
            bounded: (seconds / (settings.analysis.frameSeconds * Double(lowest.frame))).rounded(.up))
        let kept = Band.all.map { band in
            Int(bounded: (Double(peaks.firstKept(of: band)) * Double(band.frame / lowest.frame)).rounded(.up))
        }
        let count = peaks.rowCount(of: lowest) + last[lowest.place].count / lowest.rowBins
        return Int(lowest.frame) * min(max(wanted, kept.max() ?? 0), max(0, count - 1))
    }
}
