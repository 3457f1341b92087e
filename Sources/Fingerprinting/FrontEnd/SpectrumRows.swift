import SignalProcessing

/// Turns samples at the analysis rate into rows of power, one for each frame.
///
/// The window is a periodic Hann. Half a window of silence stands before and after the signal,
/// so frame j is centred at sample j·hop exactly; there is a frame for every j·hop up to the
/// signal's length. A row holds the power + 10⁻⁷ of bins 0 ..< `rowBins`; a full-scale sine
/// has a power of 2^18 at its bin. Frames are transformed in pairs, even and odd.
struct SpectrumRows {
    /// The number of bins of a row: whole groups of 16 that cover all frequencies analysed.
    static let rowBins = 960
    /// What is added to power, so that its logarithm is finite.
    static let floor: Float = 1e-7

    private static let windowSize = 2048
    private static let window = Window.hann(windowSize)

    private let hopSize: Int
    private let fft: FramePairFFT
    /// Samples still to be analysed: append to it, then call `analyse`.
    var samples: [Float]
    private var samplesBefore: Int
    private var rows = [Float](repeating: 0, count: 2 * SpectrumRows.rowBins)
    /// The number of frames handed on.
    private(set) var frameCount = 0

    init(_ settings: Settings.Analysis, fft: FramePairFFT) {
        precondition(settings.windowSize == Self.windowSize && fft.size == Self.windowSize)
        hopSize = settings.hopSize
        self.fft = fft
        samples = [Float](repeating: 0, count: Self.windowSize / 2)
        samplesBefore = -Self.windowSize / 2
    }

    /// Ends the signal and hands on the frames that reach beyond it.
    mutating func finish(_ body: (UnsafePointer<Float>) -> Void) {
        let sampleCount = samplesBefore + samples.count
        guard sampleCount > 0 else { return }
        let left = sampleCount / hopSize + 1 - frameCount
        // A pair is transformed whole; an odd frame at the end has silence for company.
        let missing = (left + left % 2 - 1) * hopSize + Self.windowSize - samples.count
        samples.append(contentsOf: repeatElement(0, count: max(0, missing)))
        analyse(atMost: left, body)
    }

    /// Hands on every pair of frames that is whole by now, of up to `most` frames.
    mutating func analyse(atMost most: Int = .max, _ body: (UnsafePointer<Float>) -> Void) {
        var start = 0
        var left = most
        samples.withUnsafeBufferPointer { samples in
            Self.window.withUnsafeBufferPointer { window in
                rows.withUnsafeMutableBufferPointer { rows in
                    guard let source = samples.baseAddress, let window = window.baseAddress,
                        let first = rows.baseAddress
                    else { return }
                    let second = first + Self.rowBins
                    while left > 0, start + hopSize + Self.windowSize <= samples.count {
                        fft.power(
                            source + start, hop: hopSize, window: window, binCount: Self.rowBins,
                            floor: Self.floor, first: first, second: second)
                        body(first)
                        if left > 1 { body(second) }
                        start += 2 * hopSize
                        left -= 2
                    }
                }
            }
        }
        frameCount += start / hopSize
        samples.removeFirst(min(start, samples.count))
        samplesBefore += start
    }
}
