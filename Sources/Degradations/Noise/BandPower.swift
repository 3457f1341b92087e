import AudioCore
import SignalProcessing

/// The energy of samples below a frequency, from half-overlapping blocks under a sine window.
///
/// The squares of the windows add up to 1, so every sample counts once. The means of the blocks (bin 0) are left out.
struct BandPower {
    private static let blockSize = 4096
    private let fft = RealFFT(size: blockSize)
    private let window = Window.hann(blockSize).map { $0.squareRoot() }

    /// The energy of `plane` below `hertz`, in a unit that depends only on the sample rate.
    func energy(of plane: UnsafeBufferPointer<Float>, sampleRate: Int, belowHertz hertz: Double) -> Double {
        let size = Self.blockSize
        let lastBin = max(1, min(size / 2, Int(hertz * Double(size) / Double(sampleRate))))
        var block = [Float](repeating: 0, count: size)
        var power = [Float](repeating: 0, count: fft.binCount)
        var energy = 0.0
        for start in stride(from: -size / 2, to: plane.count, by: size / 2) {
            for index in 0..<size {
                let frame = start + index
                block[index] = frame >= 0 && frame < plane.count ? plane[frame] * window[index] : 0
            }
            fft.power(block, into: &power)
            for bin in 1...lastBin { energy += Double(power[bin]) }
        }
        return energy
    }
}
