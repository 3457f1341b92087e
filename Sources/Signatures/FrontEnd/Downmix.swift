package enum ChannelMix: Sendable {
    case mean
    case first
    /// Half the difference of two channels: their mean when one of them is inverted.
    case difference
    /// The mean. While it cancels, half the difference of two channels, or the first of more.
    case audible
}

/// Mixes channels in blocks of fixed size, and detects channels that cancel.
///
/// Blocks start at multiples of their size in the audio, so later stages do not depend on how the audio was appended.
/// A whole block is mixed without a copy.
package struct Downmix: Sendable {
    package static let blockFrames = 4096

    let channelCount: Int
    private let mix: ChannelMix
    private let gain: Float
    /// Planes of a block that arrives in pieces.
    private var staging: [Float]
    private var staged = 0
    private var framesBefore = 0
    private var mean = [Float](repeating: 0, count: Downmix.blockFrames)
    private var meanPower = 0.0
    private var channelPower = 0.0
    /// The same powers of the latest blocks.
    private var latestMeanPower = 0.0
    private var latestChannelPower = 0.0
    /// The same powers of more blocks, about ten seconds.
    private var recentMeanPower = 0.0
    private var recentChannelPower = 0.0

    /// Mixes `channelCount` channels and multiplies by `gain`, a power of 2.
    init(channelCount: Int, mix: ChannelMix = .mean, gain: Float = 1) {
        self.channelCount = channelCount
        self.gain = gain
        self.mix = channelCount == 2 || mix != .difference ? mix : .mean
        staging = [Float](repeating: 0, count: channelCount * Self.blockFrames)
    }

    var frameCount: Int { framesBefore + staged }

    /// Whether the mean of the channels has 20 dB less power than the channels themselves.
    var channelsCancel: Bool { cancels(meanPower, channelPower) }

    private func cancels(_ meanPower: Double, _ channelPower: Double) -> Bool {
        channelCount > 1 && meanPower < 0.01 * channelPower
    }

    /// How much a block counts beside the next one.
    ///
    /// After audible audio, channels must cancel for seconds.
    private static let memory = 0.875
    private static let longMemory = 0.99

    var channelsOppose: Bool { channelCount == 2 && channelPower > 0 && meanPower < 0.5 * channelPower }

    /// Whether two channels have had more power in their difference lately, and it is not what is taken.
    var channelsOpposeLately: Bool {
        channelCount == 2 && recentChannelPower > 0 && recentMeanPower < 0.5 * recentChannelPower
            && !cancels(latestMeanPower, latestChannelPower)
    }

    /// The mean power of a channel so far, without constant offsets.
    var meanChannelPower: Double { framesBefore > 0 ? channelPower / Double(framesBefore) : 0 }

    /// Takes frames and passes on every full block.
    ///
    /// - Throws: `FingerprintingError.nonFiniteSample` at the first sample that is not finite.
    mutating func append(_ frames: SampleFrames, _ body: (UnsafeBufferPointer<Float>) -> Void) throws {
        var taken = 0
        while taken < frames.frameCount {
            let rest = frames.dropping(taken)
            if staged == 0, rest.frameCount >= Self.blockFrames, channelCount == 2, mix != .first {
                try handOn(rest, count: Self.blockFrames, body)
                taken += Self.blockFrames
                continue
            }
            let count = min(Self.blockFrames - staged, rest.frameCount)
            stage(rest, count: count)
            taken += count
            if staged == Self.blockFrames { try flush(body) }
        }
    }

    /// Passes on the last, shorter block.
    mutating func finish(_ body: (UnsafeBufferPointer<Float>) -> Void) throws {
        if staged > 0 { try flush(body) }
    }

    private mutating func stage(_ frames: SampleFrames, count: Int) {
        staging.withUnsafeMutableBufferPointer { staging in
            guard let base = staging.baseAddress else { return }
            for channel in 0..<channelCount {
                frames.copy(channel: channel, count: count, to: base + channel * Self.blockFrames + staged)
            }
        }
        staged += count
    }

    private mutating func flush(_ body: (UnsafeBufferPointer<Float>) -> Void) throws {
        let count = staged
        staged = 0
        // The arithmetic takes whole vectors, so samples of an earlier block must be cleared.
        for channel in 0..<channelCount {
            for frame in count..<BlockPowers.roundedUp(count) {
                staging[channel * Self.blockFrames + frame] = 0
            }
        }
        let staging = self.staging
        try staging.withUnsafeBufferPointer { staging in
            guard let base = staging.baseAddress else { return }
            let frames = SampleFrames(
                layout: .planar(base, planeLength: Self.blockFrames), channelCount: channelCount,
                frameCount: count)
            try handOn(frames, count: count, body)
        }
    }

    /// Mixes and passes on the first `count` frames; zeros must fill their last vector.
    private mutating func handOn(
        _ frames: SampleFrames, count: Int, _ body: (UnsafeBufferPointer<Float>) -> Void
    ) throws {
        let powers = mixed(frames, count: count, mix == .audible ? .mean : mix)
        if !(powers.energy < Self.unquestionedEnergy) { try checkFinite(frames, count: count) }
        meanPower += powers.mean
        channelPower += powers.channels
        framesBefore += count
        latestMeanPower = Self.memory * latestMeanPower + powers.mean
        latestChannelPower = Self.memory * latestChannelPower + powers.channels
        recentMeanPower = Self.longMemory * recentMeanPower + powers.mean
        recentChannelPower = Self.longMemory * recentChannelPower + powers.channels
        if mix == .audible, cancels(latestMeanPower, latestChannelPower) {
            _ = mixed(frames, count: count, channelCount == 2 ? .difference : .first)
        }
        mean.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[0..<count])) }
    }

    private mutating func mixed(_ frames: SampleFrames, count: Int, _ mix: ChannelMix) -> BlockPowers {
        mean.withUnsafeMutableBufferPointer { [gain] mean in
            guard let mean = mean.baseAddress else { return BlockPowers() }
            if frames.channelCount == 2, mix != .first {
                return BlockPowers(
                    mixingStereo: frames, count: count, difference: mix == .difference, gain: gain, to: mean)
            }
            return BlockPowers(mixing: frames, count: count, firstOnly: mix == .first, gain: gain, to: mean)
        }
    }

    // Larger samples would overflow as powers; audio is far smaller.
    private static let largestMagnitude: Float = 1e12
    /// All samples of a block with less energy are finite and smaller than `largestMagnitude`.
    private static let unquestionedEnergy = largestMagnitude * largestMagnitude

    private func checkFinite(_ frames: SampleFrames, count: Int) throws {
        for frame in 0..<count {
            for channel in 0..<channelCount {
                let sample = frames.sample(frame: frame, channel: channel)
                guard !(abs(sample) <= Self.largestMagnitude) else { continue }
                throw FingerprintingError(
                    .nonFiniteSample,
                    "sample \(framesBefore + frame) of channel \(channel) is too large or not a finite number"
                        + " (\(sample))")
            }
        }
    }
}
