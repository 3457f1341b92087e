/// A spectral peak, at the precision it is stored with.
public struct Peak: Hashable, Sendable, BitwiseCopyable {
    @inlinable package static var ranks: Int { 16 }

    /// The time from the first sample, in 1/64 frame of 32 ms: 0.5 ms.
    public package(set) var time: UInt32
    /// The frequency, in 1/32 bin of 3.90625 Hz: 0.122 Hz.
    public package(set) var frequency: UInt16
    /// How many neighbouring peaks outrank it, 0…15: 0 is the most durable kind.
    public package(set) var rank: UInt8
    /// Its height above its surroundings, in 1/16 of log2 power above −2; 0 where it was not measured.
    public package(set) var height: UInt8
    /// Its level, 1…31 in steps of 0.6 of log2 power; 0 where it is lower or was not measured.
    ///
    /// Levels compare within one recording only: quiet audio is raised before it is analysed.
    public package(set) var level: UInt8

    /// Makes a peak from stored units.
    public init(time: UInt32, frequency: UInt16, rank: UInt8, height: UInt8 = 0, level: UInt8 = 0) {
        self.time = time
        self.frequency = frequency
        self.rank = rank
        self.height = height
        self.level = level
    }

    /// The stored form of a height in log2 power.
    package static func height(log2: Float) -> UInt8 { UInt8(min(max((log2 + 2) * 16, 0), 255).rounded()) }

    /// The stored form of a level in log2 power of the transform.
    package static func level(log2: Float) -> UInt8 {
        UInt8(min(max((log2 - lowestLevelLog2) / levelStep, 0), Float(highestLevel)).rounded())
    }
    /// The level 0, in log2 power.
    private static var lowestLevelLog2: Float { -5.6 }
    /// The step of levels, in log2 power: 1.8 dB.
    @inlinable package static var levelStep: Float { 0.6 }
    /// The highest level; louder peaks have it too.
    @inlinable package static var highestLevel: UInt8 { 31 }

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

    /// The same peak, counted from a later start.
    package func moved(earlierBy time: UInt32) -> Peak {
        var peak = self
        peak.time -= time
        return peak
    }

    /// Whether `a` precedes `b` in a signature: by time, then frequency.
    @inlinable package static func precedes(_ a: Peak, _ b: Peak) -> Bool {
        a.time != b.time ? a.time < b.time : a.frequency < b.frequency
    }
}
