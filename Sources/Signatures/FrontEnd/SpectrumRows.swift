import AudioCore

/// Converts samples at the rate of a band into rows of power, one for each frame.
///
/// The window is a periodic Hann. Half a window of silence precedes and follows the signal, so frame j is centred at
/// sample j·hop exactly. There is a frame for every j·hop up to the signal's length. A row holds the power + 10⁻⁷ of
/// bins 0 ..< `Band.rowBins`; a full-scale sine has a power of 2^18 at its bin. Frames are transformed in pairs.
struct SpectrumRows {
    /// Added to power, so that its logarithm is finite.
    static let floor: Float = 1e-7

    private static let windowSize = 2048
    private static let window = Window.hann(windowSize)

    private let hopSize: Int
    private let bins: Int
    private let fft: FramePairFFT
    /// Samples to analyse: append to it, then call `analyse`.
    var samples: [Float]
    /// The place of the next frame in `samples`; what is before it is removed now and then.
    private var start = 0
    private static let mostDone = 8192
    private var samplesBefore: Int
    private var rows: [Float]
    private(set) var frameCount = 0

    init(_ settings: Settings.Analysis, band: Band, fft: FramePairFFT) {
        precondition(settings.windowSize == Self.windowSize && fft.size == Self.windowSize)
        hopSize = settings.hopSize
        bins = band.rowBins
        rows = [Float](repeating: 0, count: 2 * bins)
        self.fft = fft
        samples = [Float](repeating: 0, count: Self.windowSize / 2)
        samplesBefore = -Self.windowSize / 2
    }

    /// Ends the signal and passes on the frames that reach beyond it.
    mutating func finish(_ body: (UnsafePointer<Float>) -> Void) {
        let sampleCount = samplesBefore + samples.count
        guard sampleCount > 0 else { return }
        let left = sampleCount / hopSize + 1 - frameCount
        // Frames are transformed in pairs; an odd frame at the end is paired with silence.
        let missing = (left + left % 2 - 1) * hopSize + Self.windowSize - (samples.count - start)
        samples.append(contentsOf: repeatElement(0, count: max(0, missing)))
        analyse(atMost: left, body)
    }

    /// Passes on every complete pair of frames, up to `most` frames.
    mutating func analyse(atMost most: Int = .max, _ body: (UnsafePointer<Float>) -> Void) {
        var start = start
        var left = most
        samples.withUnsafeBufferPointer { samples in
            Self.window.withUnsafeBufferPointer { window in
                rows.withUnsafeMutableBufferPointer { rows in
                    guard let source = samples.baseAddress, let window = window.baseAddress,
                        let first = rows.baseAddress
                    else { return }
                    let second = first + bins
                    while left > 0, start + hopSize + Self.windowSize <= samples.count {
                        fft.power(
                            source + start, hop: hopSize, window: window, binCount: bins,
                            floor: Self.floor, first: first, second: second)
                        body(first)
                        if left > 1 { body(second) }
                        start += 2 * hopSize
                        left -= 2
                    }
                }
            }
        }
        frameCount += (start - self.start) / hopSize
        self.start = start
        guard start > Self.mostDone else { return }
        samples.removeFirst(start)
        samplesBefore += start
        self.start = 0
    }
}
