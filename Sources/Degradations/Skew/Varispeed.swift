import AudioCore
import Foundation

/// Reads audio at any position between its samples with a Kaiser-windowed sinc.
///
/// The kernel reaches 48 samples on either side, with errors near −100 dB. It removes frequencies above 0.94 of half the
/// sample rate, divided by the greatest speed.
///
/// J. O. Smith and P. Gossett, "A flexible sampling-rate conversion method", ICASSP 1984.
struct Varispeed {
    private static let reach = 48
    private static let taps = 2 * reach
    private static let phases = 512

    /// `taps` weights for each of `phases` + 1 fractions of a sample.
    private let kernels: [Float]

    /// `greatestSpeed` is in source samples per sample.
    init(greatestSpeed: Double) {
        let cutoff = 0.94 / max(1, greatestSpeed)
        let window = KaiserWindow(beta: 10)
        var kernels: [Float] = []
        kernels.reserveCapacity((Self.phases + 1) * Self.taps)
        for phase in 0...Self.phases {
            for tap in 0..<Self.taps {
                let x = Double(phase) / Double(Self.phases) + Double(Self.reach - 1 - tap)
                let angle = Double.pi * cutoff * x
                let sinc = abs(angle) < 1e-12 ? 1 : sin(angle) / angle
                kernels.append(Float(cutoff * sinc * window(x / Double(Self.reach))))
            }
        }
        self.kernels = kernels
    }

    /// Reads `frameCount` frames; frame k is `audio` at sample `position(k)`, silent outside.
    func read(_ audio: AudioBuffer, frameCount: Int, position: (Int) -> Double) -> AudioBuffer {
        let reach = Self.reach
        let padded = audio.frameCount + 2 * reach
        let planes = audio.mapChannels {
            [Float](repeating: 0, count: reach) + $0 + [Float](repeating: 0, count: reach)
        }
        var weights = [Float](repeating: 0, count: Self.taps)
        let output = [Float](unsafeUninitializedCapacity: frameCount * audio.channelCount) { out, filled in
            out.initialize(repeating: 0)
            weights.withUnsafeMutableBufferPointer { weights in
                planes.samples.withUnsafeBufferPointer { samples in
                    for frame in 0..<frameCount {
                        let place = position(frame)
                        let whole = place.rounded(.down)
                        // The first sample under the kernel is whole − reach + 1, in padded samples whole + 1.
                        guard whole >= -1, whole + Double(1 + Self.taps) <= Double(padded) else { continue }
                        let first = Int(whole) + 1
                        setKernel(fraction: place - whole, into: weights)
                        for channel in 0..<audio.channelCount {
                            out[channel * frameCount + frame] = Self.dot(
                                weights, UnsafeBufferPointer(rebasing: samples[(channel * padded + first)...])
                            )
                        }
                    }
                }
            }
            filled = frameCount * audio.channelCount
        }
        return AudioBuffer(samples: output, sampleRate: audio.sampleRate, channelCount: audio.channelCount)
    }

    /// Interpolates the kernel at `fraction` of a sample, 0 ≤ fraction < 1.
    private func setKernel(fraction: Double, into weights: UnsafeMutableBufferPointer<Float>) {
        let phase = fraction * Double(Self.phases)
        let row = min(Int(phase), Self.phases - 1)
        let rest = Float(phase - Double(row))
        kernels.withUnsafeBufferPointer { kernels in
            let low = row * Self.taps
            let high = low + Self.taps
            for tap in 0..<Self.taps {
                weights[tap] = kernels[low + tap] + rest * (kernels[high + tap] - kernels[low + tap])
            }
        }
    }

    private static func dot(_ a: UnsafeMutableBufferPointer<Float>, _ b: UnsafeBufferPointer<Float>) -> Float
    {
        var sum = SIMD8<Float>.zero
        for block in stride(from: 0, to: taps, by: 8) {
            var x = SIMD8<Float>.zero
            var y = SIMD8<Float>.zero
            for lane in 0..<8 {
                x[lane] = a[block + lane]
                y[lane] = b[block + lane]
            }
            sum += x * y
        }
        return sum.sum()
    }
}
