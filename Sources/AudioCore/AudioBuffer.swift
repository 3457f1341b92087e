/// Audio in memory: planar 32-bit float samples at one rate.
///
/// The nominal range is −1…1. Values beyond it are legal and never clipped in memory. One array holds
/// `channelCount` planes of `frameCount` samples, one after the other.
public struct AudioBuffer: Sendable, Equatable {
    /// The sample rate in hertz, at least 1.
    public let sampleRate: Int
    /// The number of planes, at least 1.
    public let channelCount: Int
    /// The number of samples in each plane; may be 0.
    public let frameCount: Int
    /// All samples, plane after plane; `channelCount * frameCount` of them.
    public private(set) var samples: [Float]

    /// Takes planes laid end to end; `samples.count` must be a multiple of `channelCount`.
    public init(samples: [Float], sampleRate: Int, channelCount: Int = 1) {
        precondition(sampleRate >= 1, "sample rate \(sampleRate) Hz is below 1")
        precondition(channelCount >= 1, "channel count \(channelCount) is below 1")
        precondition(
            samples.count.isMultiple(of: channelCount),
            "\(samples.count) samples do not divide into \(channelCount) channels")
        self.samples = samples
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.frameCount = samples.count / channelCount
    }

    /// Makes silence of `frameCount` frames.
    public init(silentFrames frameCount: Int, sampleRate: Int, channelCount: Int = 1) {
        self.init(
            samples: [Float](repeating: 0, count: frameCount * channelCount),
            sampleRate: sampleRate, channelCount: channelCount)
    }

    /// Takes samples in frame order (left, right, left, right, …).
    public init(interleaved: UnsafeBufferPointer<Float>, sampleRate: Int, channelCount: Int) {
        let frames = interleaved.count / channelCount
        let planes = [Float](unsafeUninitializedCapacity: frames * channelCount) { out, count in
            for channel in 0..<channelCount {
                for frame in 0..<frames {
                    out.initializeElement(
                        at: channel * frames + frame, to: interleaved[frame * channelCount + channel])
                }
            }
            count = frames * channelCount
        }
        self.init(samples: planes, sampleRate: sampleRate, channelCount: channelCount)
    }

    /// The length in seconds.
    public var durationSeconds: Double { Double(frameCount) / Double(sampleRate) }

    /// Whether there is no frame.
    public var isEmpty: Bool { frameCount == 0 }

    /// The samples in frame order (left, right, left, right, …).
    public var interleaved: [Float] {
        if channelCount == 1 { return samples }
        return [Float](unsafeUninitializedCapacity: samples.count) { out, count in
            samples.withUnsafeBufferPointer { planes in
                for channel in 0..<channelCount {
                    for frame in 0..<frameCount {
                        out.initializeElement(
                            at: frame * channelCount + channel, to: planes[channel * frameCount + frame])
                    }
                }
            }
            count = samples.count
        }
    }

    /// A copy of one plane.
    public func channel(_ index: Int) -> [Float] {
        Array(samples[(index * frameCount)..<((index + 1) * frameCount)])
    }

    /// Lends one plane for reading.
    public func withChannel<R>(_ index: Int, _ body: (UnsafeBufferPointer<Float>) throws -> R) rethrows -> R {
        precondition(index >= 0 && index < channelCount, "no channel \(index) in \(channelCount)")
        return try samples.withUnsafeBufferPointer {
            try body(UnsafeBufferPointer(rebasing: $0[(index * frameCount)..<((index + 1) * frameCount)]))
        }
    }

    /// Lends one plane for writing.
    public mutating func withMutableChannel<R>(
        _ index: Int, _ body: (UnsafeMutableBufferPointer<Float>) throws -> R
    ) rethrows -> R {
        precondition(index >= 0 && index < channelCount, "no channel \(index) in \(channelCount)")
        let range = (index * frameCount)..<((index + 1) * frameCount)
        return try samples.withUnsafeMutableBufferPointer {
            try body(UnsafeMutableBufferPointer(rebasing: $0[range]))
        }
    }

    /// The mean of all channels.
    public func mono() -> [Float] {
        if channelCount == 1 { return samples }
        let scale = 1 / Float(channelCount)
        var mean = channel(0)
        mean.withUnsafeMutableBufferPointer { out in
            for index in 1..<channelCount {
                withChannel(index) { plane in
                    for frame in 0..<frameCount { out[frame] += plane[frame] }
                }
            }
            for frame in 0..<frameCount { out[frame] *= scale }
        }
        return mean
    }

    /// The frames of `range`, which must be within the buffer.
    public func frames(_ range: Range<Int>) -> AudioBuffer {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= frameCount, "\(range) exceeds \(frameCount)")
        if range == 0..<frameCount { return self }
        var cut: [Float] = []
        cut.reserveCapacity(range.count * channelCount)
        for channel in 0..<channelCount {
            let start = channel * frameCount
            cut += samples[(start + range.lowerBound)..<(start + range.upperBound)]
        }
        return AudioBuffer(samples: cut, sampleRate: sampleRate, channelCount: channelCount)
    }

    /// Replaces each plane by the result of `transform`; all results must have one length.
    public func mapChannels(
        sampleRate: Int? = nil, _ transform: (UnsafeBufferPointer<Float>) throws -> [Float]
    ) rethrows -> AudioBuffer {
        var planes: [Float] = []
        var length: Int?
        for channel in 0..<channelCount {
            let plane = try withChannel(channel, transform)
            precondition(length == nil || length == plane.count, "planes of different lengths")
            length = plane.count
            planes += plane
        }
        return AudioBuffer(
            samples: planes, sampleRate: sampleRate ?? self.sampleRate, channelCount: channelCount)
    }

    /// The mean square of all samples, accumulated in double precision; 0 when empty.
    public var meanPower: Double {
        guard !samples.isEmpty else { return 0 }
        var sum = 0.0
        for sample in samples { sum += Double(sample) * Double(sample) }
        return sum / Double(samples.count)
    }

    /// Whether the RMS is below −40 dBFS, or at least half the samples are below −60 dBFS.
    package func isTooQuiet(frames: Range<Int>) -> Bool {
        var power = 0.0
        var quiet = 0
        for channel in 0..<channelCount {
            withChannel(channel) { plane in
                for frame in frames {
                    let sample = plane[frame]
                    power += Double(sample * sample)
                    if abs(sample) < 1e-3 { quiet += 1 }
                }
            }
        }
        let count = frames.count * channelCount
        return power / Double(max(1, count)) < 1e-4 || quiet * 2 >= count
    }

    /// Whether the RMS of the mean of all channels is below −40 dBFS, as where channels are out of phase.
    package func isTooQuietInMono(frames range: Range<Int>) -> Bool {
        AudioBuffer(samples: frames(range).mono(), sampleRate: sampleRate).meanPower < 1e-4
    }

    /// The mean square after each channel's own mean (its DC offset) is removed; 0 when empty.
    public var meanPowerAC: Double {
        guard frameCount > 0 else { return 0 }
        var power = 0.0
        for channel in 0..<channelCount {
            withChannel(channel) { plane in
                var sum = 0.0
                var squares = 0.0
                for sample in plane {
                    sum += Double(sample)
                    squares += Double(sample) * Double(sample)
                }
                let mean = sum / Double(frameCount)
                power += max(0, squares / Double(frameCount) - mean * mean)
            }
        }
        return power / Double(channelCount)
    }

    /// The largest magnitude; 0 when empty.
    public var peak: Float {
        var peak: Float = 0
        for sample in samples where abs(sample) > peak { peak = abs(sample) }
        return peak
    }
}
