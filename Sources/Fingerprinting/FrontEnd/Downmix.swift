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
/// stage sees the same blocks whatever the chunking.
struct Downmix: Sendable {
    /// How many frames make a block.
    static let blockFrames = 4096

    let channelCount: Int
    private let mix: ChannelMix
    private let gain: Float
    private var staging: [Float]
    private var staged = 0
    private var framesBefore = 0
    private var mean = [Float](repeating: 0, count: Downmix.blockFrames)
    private var meanPower = 0.0
    private var channelPower = 0.0

    /// Starts with `mix` of `channelCount` channels, times `gain`.
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
    mutating func append(
        _ audio: borrowing AudioBuffer, _ body: (UnsafeBufferPointer<Float>) throws -> Void
    ) throws {
        var taken = 0
        let total = audio.frameCount
        while taken < total {
            let count = min(Self.blockFrames - staged, total - taken)
            audio.samples.withUnsafeBufferPointer { source in
                staging.withUnsafeMutableBufferPointer { staging in
                    guard let from = source.baseAddress, let to = staging.baseAddress else { return }
                    for channel in 0..<channelCount {
                        (to + channel * Self.blockFrames + staged)
                            .update(from: from + channel * total + taken, count: count)
                    }
                }
            }
            staged += count
            taken += count
            if staged == Self.blockFrames { try flush(body) }
        }
    }

    /// Hands on the last, shorter block.
    mutating func finish(_ body: (UnsafeBufferPointer<Float>) throws -> Void) throws {
        if staged > 0 { try flush(body) }
    }

    private mutating func flush(_ body: (UnsafeBufferPointer<Float>) throws -> Void) throws {
        try checkFinite()
        let count = staged
        let channels = mix == .first ? 1 : channelCount
        let scale = gain / Float(channels)
        var sumOfChannels: Float = 0
        var sumOfMean: Float = 0
        staging.withUnsafeBufferPointer { staging in
            mean.withUnsafeMutableBufferPointer { mean in
                for frame in 0..<count { mean[frame] = staging[frame] }
                for channel in 1..<max(channels, 1) {
                    let plane = channel * Self.blockFrames
                    if mix == .difference {
                        for frame in 0..<count { mean[frame] -= staging[plane + frame] }
                    } else {
                        for frame in 0..<count { mean[frame] += staging[plane + frame] }
                    }
                }
                if scale != 1 { for frame in 0..<count { mean[frame] *= scale } }
                guard channelCount > 1 else { return }
                sumOfMean = Self.variation(UnsafeBufferPointer(rebasing: mean[0..<count]))
                for channel in 0..<channelCount {
                    let plane = channel * Self.blockFrames
                    sumOfChannels += Self.variation(
                        UnsafeBufferPointer(rebasing: staging[plane..<(plane + count)]))
                }
            }
        }
        meanPower += Double(sumOfMean) / Double(gain * gain)
        channelPower += Double(sumOfChannels) / Double(channelCount)
        framesBefore += count
        staged = 0
        try mean.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[0..<count])) }
    }

    /// The sum of squares about the mean: power without any constant offset.
    private static func variation(_ plane: UnsafeBufferPointer<Float>) -> Float {
        guard let samples = UnsafeRawPointer(plane.baseAddress) else { return 0 }
        var sum = SIMD8<Float>(repeating: 0)
        var squares = SIMD8<Float>(repeating: 0)
        for index in stride(from: 0, through: plane.count - 8, by: 8) {
            let values = samples.loadUnaligned(fromByteOffset: 4 * index, as: SIMD8<Float>.self)
            sum += values
            squares += values * values
        }
        let total = sum.sum()
        return max(0, squares.sum() - total * total / Float(max(plane.count, 1)))
    }

    // Larger samples would overflow as powers; nothing that is audio comes near.
    private static let largestMagnitude: Float = 1e12
    private static let overflow = Float.greatestFiniteMagnitude / largestMagnitude

    private func checkFinite() throws {
        var isFinite = true
        staging.withUnsafeBufferPointer { staging in
            for channel in 0..<channelCount {
                var sum = SIMD8<Float>(repeating: 0)
                let plane = channel * Self.blockFrames
                // Times zero is zero for finite numbers and nothing else. The staging area is always
                // whole: what an earlier block left behind was finite.
                guard let base = staging.baseAddress else { continue }
                let raw = UnsafeRawPointer(base + plane)
                for byte in stride(from: 0, to: Self.blockFrames * 4, by: 32) {
                    sum += raw.loadUnaligned(fromByteOffset: byte, as: SIMD8<Float>.self) * Self.overflow * 0
                }
                isFinite = isFinite && sum.sum() == 0
            }
        }
        guard !isFinite else { return }
        for frame in 0..<staged {
            for channel in 0..<channelCount {
                let sample = staging[channel * Self.blockFrames + frame]
                guard !(sample * Self.overflow).isFinite else { continue }
                throw FingerprintingError(
                    .nonFiniteSample,
                    "sample \(framesBefore + frame) of channel \(channel) is not a finite number of audible size"
                        + " (\(sample))")
            }
        }
    }
}
