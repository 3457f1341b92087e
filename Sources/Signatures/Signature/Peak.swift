/// A spectral peak, at the precision it is stored with.
public struct Peak: Hashable, Sendable, BitwiseCopyable {
    @inlinable package static var ranks: Int { 16 }

    /// The time from the first sample, in 1/64 frame of 32 ms: 0.5 ms.
    public let time: UInt32
    /// The frequency, in 1/32 bin of 3.90625 Hz: 0.122 Hz.
    public let frequency: UInt16
    /// How many neighbouring peaks outrank it, 0…15: 0 is the most durable kind.
    public let rank: UInt8
    /// Its height above its surroundings, in 1/16 of log2 power above −2; 0 where it was not measured.
    public let height: UInt8

    /// Makes a peak from stored units.
    public init(time: UInt32, frequency: UInt16, rank: UInt8, height: UInt8 = 0) {
        self.time = time
        self.frequency = frequency
        self.rank = rank
        self.height = height
    }

    /// The stored form of a height in log2 power.
    package static func height(log2: Float) -> UInt8 { UInt8(min(max((log2 + 2) * 16, 0), 255).rounded()) }

    /// The height in log2 power, −2…13.9.
    @inlinable package var heightLog2: Float { Float(height) / 16 - 2 }

    /// Its time in frames of the middle band.
    @inlinable package var frames: Float { Float(time) / Float(FrequencyScale.timeSteps) }
    /// Its frequency in bins of the middle band.
    @inlinable package var bins: Float { Float(max(1, frequency)) / Float(FrequencyScale.frequencySteps) }
    @inlinable package var band: Band { Band.all[Band.place(of: frequency)] }

    /// The time from the first sample, in seconds.
    public var timeSeconds: Double { Double(time) * Signature.timeUnit }
    /// The frequency in hertz.
    public var frequencyHertz: Double {
        Double(frequency) * (FrequencyScale.binHertz / Double(FrequencyScale.frequencySteps))
    }

    /// Whether `a` precedes `b` in a signature: by time, then frequency.
    @inlinable package static func precedes(_ a: Peak, _ b: Peak) -> Bool {
        a.time != b.time ? a.time < b.time : a.frequency < b.frequency
    }
}
