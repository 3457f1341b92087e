import SignalProcessing

/// Turns samples at the analysis rate into rows of log power, one for each frame.
///
/// The window is a periodic Hann. Half a window of silence stands before and after the signal,
/// so frame j is centred at sample j·hop exactly; there is a frame for every j·hop up to the
/// signal's length. A row holds log2(power + 10⁻⁷) of bins 0 ..< `rowBins`; a full-scale sine
/// has a power of 2^18 at its bin.
struct SpectrumRows {
    /// The number of bins of a row: whole groups of 16 that cover all frequencies analysed.
    static let rowBins = 960
    /// What is added to power before the logarithm.
    static let floor: Float = 1e-7

    private let windowSize: Int
    private let hopSize: Int
    private let window: [Float]
    private let fft: RealFFT
    /// Samples still to be analysed: append to it, then call `analyse`.
    var samples: [Float]
    private var samplesBefore: Int
    private var windowed: [Float]
    private var row: [Float]
    /// The number of frames handed on.
    private(set) var frameCount = 0

    init(_ settings: Settings.Analysis, fft: RealFFT) {
        windowSize = settings.windowSize
        hopSize = settings.hopSize
        window = Window.hann(settings.windowSize)
        self.fft = fft
        samples = [Float](repeating: 0, count: settings.windowSize / 2)
        samplesBefore = -settings.windowSize / 2
        windowed = [Float](repeating: 0, count: settings.windowSize)
        row = [Float](repeating: 0, count: max(fft.binCount, Self.rowBins))
    }

    /// Ends the signal and hands on the frames that reach beyond it.
    mutating func finish(_ body: (UnsafePointer<Float>) -> Void) {
        let sampleCount = samplesBefore + samples.count
        guard sampleCount > 0 else { return }
        let frames = sampleCount / hopSize + 1
        let missing = (frames - frameCount - 1) * hopSize + windowSize - samples.count
        samples.append(contentsOf: repeatElement(0, count: max(0, missing)))
        analyse(body)
    }

    /// Hands on every frame that is whole by now.
    mutating func analyse(_ body: (UnsafePointer<Float>) -> Void) {
        var start = 0
        samples.withUnsafeBufferPointer { samples in
            window.withUnsafeBufferPointer { window in
                windowed.withUnsafeMutableBufferPointer { windowed in
                    row.withUnsafeMutableBufferPointer { row in
                        guard let source = samples.baseAddress, let window = window.baseAddress,
                            let windowed = windowed.baseAddress, let row = row.baseAddress
                        else { return }
                        while start + windowSize <= samples.count {
                            for index in 0..<windowSize {
                                windowed[index] = source[start + index] * window[index]
                            }
                            fft.power(windowed, into: row)
                            BinaryLogarithm.apply(row, count: Self.rowBins, floor: Self.floor)
                            body(row)
                            start += hopSize
                            frameCount += 1
                        }
                    }
                }
            }
        }
        samples.removeFirst(start)
        samplesBefore += start
    }
}
