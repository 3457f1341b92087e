import AudioCore

/// What of several channels is listened to.
enum ChannelMix: Sendable {
    /// The mean of all.
    case mean
    /// The first alone.
    case first
    /// Half the difference of two: the mean again where one of them is inverted.
    case difference
}

/// Turns channels into their mean in blocks of fixed size, and watches for channels that cancel.
///
/// Blocks are cut by position in the audio, never by how it was appended, so every later
/// stage sees the same blocks whatever the chunking. A block that comes whole is mixed where it lies.
struct Downmix: Sendable {
    /// How many frames make a block.
    static let blockFrames = 4096

    let channelCount: Int
    private let mix: ChannelMix
    private let gain: Float
    /// Planes of a block that comes in pieces.
    private var staging: [Float]
    private var staged = 0
    private var framesBefore = 0
    private var mean = [Float](repeating: 0, count: Downmix.blockFrames)
    private var meanPower = 0.0
    private var channelPower = 0.0

    /// Starts with `mix` of `channelCount` channels, times `gain`, a power of 2.
    init(channelCount: Int, mix: ChannelMix = .mean, gain: Float = 1) {
        self.channelCount = channelCount
        self.gain = gain
        self.mix = channelCount == 2 || mix != .difference ? mix : .mean
        staging = [Float](repeating: 0, count: channelCount * Self.blockFrames)
    }

    /// The number of frames taken so far.
    var frameCount: Int { framesBefore + staged }

    /// Whether the mean of the channels has 20 dB less power than the channels themselves.
    var channelsCancel: Bool { channelCount > 1 && channelPower > 0 && meanPower < 0.01 * channelPower }

    /// Whether two channels work against each other: their difference has more power than their mean.
    var channelsOppose: Bool { channelCount == 2 && channelPower > 0 && meanPower < 0.5 * channelPower }

    /// Takes frames and hands on every block that is full by now.
    ///
    /// - Throws: `FingerprintingError.nonFiniteSample` at the first sample that is no finite number.
    mutating func append(_ frames: SampleFrames, _ body: (UnsafeBufferPointer<Float>) -> Void) throws {
        var taken = 0
        while taken < frames.frameCount {
            let rest = frames.dropping(taken)
            if staged == 0, rest.frameCount >= Self.blockFrames, channelCount == 2, mix == .mean {
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

    /// Hands on the last, shorter block.
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

    /// Hands on the block in the staging area.
    private mutating func flush(_ body: (UnsafeBufferPointer<Float>) -> Void) throws {
        let count = staged
        staged = 0
        // The arithmetic goes by whole vectors: what an earlier block left behind must not count.
        for channel in 0..<channelCount {
            for frame in count..<BlockPowers.roundedUp(count) {
                staging[channel * Self.blockFrames + frame] = 0
            }
        }
        let staging = self.staging
        try staging.withUnsafeBufferPointer { staging in
            guard let base = staging.baseAddress else { return }
            let frames = SampleFrames(
                .planar(base, planeLength: Self.blockFrames), channelCount: channelCount, frameCount: count)
            try handOn(frames, count: count, body)
        }
    }

    /// Mixes and hands on the first `count` frames; what completes their last vector must be zeros.
    private mutating func handOn(
        _ frames: SampleFrames, count: Int, _ body: (UnsafeBufferPointer<Float>) -> Void
    ) throws {
        let powers = mean.withUnsafeMutableBufferPointer { [mix, gain] mean in
            Self.mix(frames, count: count, mix, gain: gain, to: mean)
        }
        if !(powers.energy < Self.unquestionedEnergy) { try checkFinite(frames, count: count) }
        meanPower += powers.mean
        channelPower += powers.channels
        framesBefore += count
        mean.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[0..<count])) }
    }

    private static func mix(
        _ frames: SampleFrames, count: Int, _ mix: ChannelMix, gain: Float,
        to mean: UnsafeMutableBufferPointer<Float>
    ) -> BlockPowers {
        guard let mean = mean.baseAddress else { return BlockPowers() }
        if frames.channelCount == 2, mix != .first {
            return BlockPowers(
                mixingStereo: frames, count: count, difference: mix == .difference, gain: gain, to: mean)
        }
        return BlockPowers(mixing: frames, count: count, firstOnly: mix == .first, gain: gain, to: mean)
    }

    // Larger samples would overflow as powers; nothing that is audio comes near.
    private static let largestMagnitude: Float = 1e12
    /// No sample of a block with less energy can be larger, or not finite.
    private static let unquestionedEnergy = largestMagnitude * largestMagnitude

    private func checkFinite(_ frames: SampleFrames, count: Int) throws {
        for frame in 0..<count {
            for channel in 0..<channelCount {
                let sample = frames.sample(frame: frame, channel: channel)
                guard !(abs(sample) <= Self.largestMagnitude) else { continue }
                throw FingerprintingError(
                    .nonFiniteSample,
                    "sample \(framesBefore + frame) of channel \(channel) is not a finite number of audible size"
                        + " (\(sample))")
            }
        }
    }
}
