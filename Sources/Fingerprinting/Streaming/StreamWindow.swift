import AudioCore
import SignalProcessing

/// The latest seconds of a stream as rows of power; memory does not grow with the stream.
struct StreamWindow {
    private let settings: Settings
    private var spectrum: SpectrumStream
    private var ring: RowRing

    /// - Throws: `FingerprintingError.unsupportedFormat` for a rate that cannot be analysed.
    init(settings: Settings, sampleRate: Int, channelCount: Int, longestSeconds: Double) throws {
        self.settings = settings
        let analysis = settings.analysis
        spectrum = try SpectrumStream(
            analysis, sampleRate: sampleRate, channelCount: channelCount,
            fft: FramePairFFT(size: analysis.windowSize))
        ring = RowRing(capacity: Int(longestSeconds / analysis.frameSeconds) + 8)
    }

    /// - Throws: `FingerprintingError` when a sample is not finite, or rate or channels change.
    mutating func append(_ audio: borrowing AudioBuffer) throws {
        try Self.append(audio, to: &spectrum, &ring)
    }

    private static func append(
        _ audio: borrowing AudioBuffer, to spectrum: inout SpectrumStream, _ ring: inout RowRing
    ) throws {
        try spectrum.append(audio) { ring.append($0) }
    }

    /// A query of the stream since a time, or since the oldest stored row.
    ///
    /// - Returns: The query, and the time of its first sample in seconds.
    func query(since seconds: Double) throws -> (query: Query, startSeconds: Double) {
        let frameSeconds = settings.analysis.frameSeconds
        // The last rows reach beyond the latest sample: a copy of the spectrum makes them as if the stream ended here.
        var ended = spectrum
        var last: [Float] = []
        try ended.finish {
            last.append(contentsOf: UnsafeBufferPointer(start: $0, count: SpectrumRows.rowBins))
        }
        let count = ring.count + last.count / SpectrumRows.rowBins
        let first = min(max(Int((seconds / frameSeconds).rounded(.up)), ring.firstKept), max(0, count - 1))
        var picker = PeakPicker(
            settings.analysis, inputRate: spectrum.sampleRate, keptRanks: Peak.ranks,
            keptRows: settings.verification.contrastFrames)
        ring.forEach(from: first) { picker.append(row: $0) }
        last.withUnsafeBufferPointer { rows in
            guard let base = rows.baseAddress else { return }
            for row in max(first, ring.count)..<count {
                picker.append(row: base + (row - ring.count) * SpectrumRows.rowBins)
            }
        }
        picker.finish()
        let query = Query(
            picker, durationSeconds: Double(max(0, count - 1 - first)) * frameSeconds,
            analysisIdentity: settings.analysis.identity)
        return (query, Double(first) * frameSeconds)
    }
}

struct RowRing: Sendable {
    private let capacity: Int
    private var rows: [Float]
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        rows = [Float](repeating: 0, count: capacity * SpectrumRows.rowBins)
    }

    mutating func append(_ row: UnsafePointer<Float>) {
        rows.withUnsafeMutableBufferPointer { rows in
            guard let base = rows.baseAddress else { return }
            (base + count % capacity * SpectrumRows.rowBins).update(from: row, count: SpectrumRows.rowBins)
        }
        count += 1
    }

    var firstKept: Int { max(0, count - capacity) }

    /// Passes the rows from `first` on that are still stored.
    func forEach(from first: Int, _ body: (UnsafePointer<Float>) -> Void) {
        rows.withUnsafeBufferPointer { rows in
            guard let base = rows.baseAddress else { return }
            for row in max(first, firstKept)..<count {
                body(base + row % capacity * SpectrumRows.rowBins)
            }
        }
    }
}
