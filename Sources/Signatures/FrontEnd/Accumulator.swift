import AudioCore

/// Sums and squares of samples, eight at a time.
package struct Accumulator {
    private var sums = SIMD8<Float>.zero
    private var squares = SIMD8<Float>.zero

    @inline(__always)
    init() {}

    /// Adds the first `count` samples; zeros must fill the last vector.
    init(_ samples: UnsafePointer<Float>, count: Int) {
        let raw = UnsafeRawPointer(samples)
        for index in stride(from: 0, to: count, by: 8) {
            add(raw.loadUnaligned(fromByteOffset: 4 * index, as: SIMD8<Float>.self))
        }
    }

    @inline(__always)
    mutating func add(_ values: SIMD8<Float>) {
        sums += values
        squares += values * values
    }

    var energy: Float { squares.sum() }

    /// The sum of squares about the mean of `count` values: power without a constant offset.
    func variation(_ count: Int) -> Float { Self.variation(sum: sums.sum(), energy: energy, count: count) }

    static func variation(sum: Float, energy: Float, count: Int) -> Float {
        let variation = energy - sum * sum / Float(count)
        return variation < 0 ? 0 : variation
    }

    /// The mean square of all channels about their means over blocks of 4,096 samples.
    ///
    /// Ignores up to seven samples at the end. The result is NaN when a sample is.
    package static func meanPower(of audio: AudioBuffer) -> Double {
        let counted = audio.frameCount / 8 * 8
        guard counted > 0 else { return 0 }
        var power = 0.0
        for channel in 0..<audio.channelCount {
            audio.withChannel(channel) { plane in
                guard let base = plane.baseAddress else { return }
                for start in stride(from: 0, to: counted, by: Downmix.blockFrames) {
                    let count = min(Downmix.blockFrames, counted - start)
                    power += Double(Accumulator(base + start, count: count).variation(count))
                }
            }
        }
        return power / Double(counted * audio.channelCount)
    }
}
