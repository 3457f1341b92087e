import AudioCore

/// The mean of a block's channels, and its power beside that of the channels.
///
/// The arithmetic and its order do not depend on the layout: the same audio gives the same bits.
struct BlockPowers {
    /// The power of the channels' mean without its constant offset, summed over the block.
    private(set) var mean = 0.0
    /// The average power of the channels without their constant offsets, summed over the block.
    private(set) var channels = 0.0
    /// At least the sum of the squares of all samples; finite and small only if every sample is.
    private(set) var energy: Float = 0

    static func roundedUp(_ count: Int) -> Int { (count + 7) / 8 * 8 }

    init() {}

    /// Writes the mean of two channels, or half of left − right, times `gain` to `target`.
    init(
        mixingStereo frames: SampleFrames, count: Int, difference: Bool, gain: Float,
        to target: UnsafeMutablePointer<Float>
    ) {
        switch frames.layout {
        case .planar(let samples, let length):
            let left = UnsafeRawPointer(samples)
            let right = UnsafeRawPointer(samples + length)
            mixStereo(count: count, unit: 1, difference: difference, gain: gain, to: target) { frame in
                let left = left.loadUnaligned(fromByteOffset: 4 &* frame, as: SIMD8<Float>.self)
                let right = right.loadUnaligned(fromByteOffset: 4 &* frame, as: SIMD8<Float>.self)
                return (left + right, left - right)
            }
        case .interleaved(let samples):
            let raw = UnsafeRawPointer(samples)
            mixStereo(count: count, unit: 1, difference: difference, gain: gain, to: target) { frame in
                let pairs = raw.loadUnaligned(fromByteOffset: 8 &* frame, as: SIMD16<Float>.self)
                return (pairs.evenHalf + pairs.oddHalf, pairs.evenHalf - pairs.oddHalf)
            }
        case .interleavedInt16(let samples):
            let raw = UnsafeRawPointer(samples)
            let unit = InterleavedSamples.int16Scale
            mixStereo(count: count, unit: unit, difference: difference, gain: gain, to: target) { frame in
                // A frame is 32 bits: left the lower half, right the upper.
                let pairs = raw.loadUnaligned(fromByteOffset: 4 &* frame, as: SIMD8<Int32>.self)
                let left = (pairs &<< 16) &>> 16
                let right = pairs &>> 16
                return (Self.float(left &+ right), Self.float(left &- right))
            }
        }
    }

    /// Whole numbers below 2^22 as floats: added to the bits of 1.5·2^23 they are its mantissa.
    @inline(__always)
    private static func float(_ whole: SIMD8<Int32>) -> SIMD8<Float> {
        unsafeBitCast(whole &+ 0x4B40_0000, to: SIMD8<Float>.self) - 0x1.8p23
    }

    /// Mixes the sums and differences of `load`, in multiples of `unit`: a power of 2, so that scaling is exact.
    @inline(__always)
    private mutating func mixStereo(
        count: Int, unit: Float, difference: Bool, gain: Float, to target: UnsafeMutablePointer<Float>,
        _ load: (Int) -> (sum: SIMD8<Float>, difference: SIMD8<Float>)
    ) {
        // Two calls, so that the compiler specialises the loop for each case.
        if difference {
            addStereo(count: count, unit: unit, difference: true, gain: gain, to: target, load)
        } else {
            addStereo(count: count, unit: unit, difference: false, gain: gain, to: target, load)
        }
    }

    @inline(__always)
    private mutating func addStereo(
        count: Int, unit: Float, difference: Bool, gain: Float, to target: UnsafeMutablePointer<Float>,
        _ load: (Int) -> (sum: SIMD8<Float>, difference: SIMD8<Float>)
    ) {
        let target = UnsafeMutableRawPointer(target)
        let scale = 0.5 * gain * unit
        var sums = Accumulator()
        var differences = Accumulator()
        var frame = 0
        while frame < count {
            let loaded = load(frame)
            let mixed = difference ? loaded.difference : loaded.sum
            (target + 4 &* frame).storeBytes(of: mixed * scale, as: SIMD8<Float>.self)
            sums.add(loaded.sum)
            differences.add(loaded.difference)
            frame &+= 8
        }
        let square = unit * unit
        let sumVariation = Double(sums.variation(count) * square)
        let differenceVariation = Double(differences.variation(count) * square)
        mean = 0.25 * (difference ? differenceVariation : sumVariation)
        channels = 0.25 * (sumVariation + differenceVariation)
        energy = (sums.energy + differences.energy) * square
    }

    /// Writes the mean of any number of planes, or the first of them, times `gain` to `target`.
    init(
        mixing frames: SampleFrames, count: Int, firstOnly: Bool, gain: Float,
        to target: UnsafeMutablePointer<Float>
    ) {
        guard case .planar(let samples, let length) = frames.layout else {
            preconditionFailure("only two channels are mixed in their own layout")
        }
        let mixed = firstOnly ? 1 : frames.channelCount
        target.update(from: samples, count: Self.roundedUp(count))
        for channel in 1..<max(mixed, 1) {
            let plane = samples + channel * length
            for frame in 0..<count { target[frame] += plane[frame] }
        }
        let scale = gain / Float(mixed)
        if scale != 1 { for frame in 0..<count { target[frame] *= scale } }
        for channel in 0..<frames.channelCount {
            let plane = Accumulator(samples + channel * length, count: count)
            channels += Double(plane.variation(count)) / Double(frames.channelCount)
            energy += plane.energy
        }
        mean = Double(Accumulator(target, count: count).variation(count)) / Double(gain * gain)
    }
}
