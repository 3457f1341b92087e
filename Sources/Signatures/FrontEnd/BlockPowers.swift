import AudioCore
internal import CKernels

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
        let scale = 0.5 * gain
        var sums = earshot_mix_sums()
        var unit: Float = 1
        switch frames.layout {
        case .planar(let samples, let length):
            sums = earshot_mix_planes(target, samples, samples + length, count, difference, scale)
        case .interleaved(let samples):
            sums = earshot_mix_floats(target, samples, count, difference, scale)
        case .interleavedInt16(let samples):
            // A power of 2, so that scaling is exact.
            unit = InterleavedSamples.int16Scale
            sums = earshot_mix_int16s(target, samples, count, difference, scale * unit)
        }
        let square = unit * unit
        let sumVariation = Double(
            Accumulator.variation(sum: sums.sum, energy: sums.sum_energy, count: count) * square)
        let differenceVariation = Double(
            Accumulator.variation(sum: sums.difference, energy: sums.difference_energy, count: count) * square
        )
        mean = 0.25 * (difference ? differenceVariation : sumVariation)
        channels = 0.25 * (sumVariation + differenceVariation)
        energy = (sums.sum_energy + sums.difference_energy) * square
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
