/// A time as a whole number of fractions of a second.
public struct CMTime: Hashable, Comparable, Sendable {
    /// The number of fractions.
    public var value: Int64
    /// The fractions in a second; 0 in an invalid time.
    public var timescale: Int32

    /// 0 s.
    public static let zero = CMTime(value: 0, timescale: 1)
    /// No time, which compares as the latest.
    public static let invalid = CMTime(value: 0, timescale: 0)

    /// Takes a number of fractions; a timescale below 1 makes an invalid time.
    public init(value: Int64, timescale: Int32) {
        self.value = value
        self.timescale = max(0, timescale)
    }

    /// The nearest number of fractions to a time in seconds; invalid if there is none.
    public init(seconds: Double, preferredTimescale: Int32) {
        let value = Int64(exactly: (seconds * Double(preferredTimescale)).rounded())
        self.init(value: value ?? 0, timescale: value == nil ? 0 : preferredTimescale)
    }

    /// Whether the time is one.
    public var isValid: Bool { timescale > 0 }
    /// Whether it is a number of seconds, as every valid time here.
    public var isNumeric: Bool { isValid }
    /// The time in seconds; NaN if it is invalid.
    public var seconds: Double { isValid ? Double(value) / Double(timescale) : .nan }

    /// Compares the seconds exactly.
    public static func == (a: CMTime, b: CMTime) -> Bool {
        a.isValid == b.isValid && (!a.isValid || a.scaled(b) == b.scaled(a))
    }

    /// Compares the seconds exactly.
    public static func < (a: CMTime, b: CMTime) -> Bool {
        a.isValid && (!b.isValid || a.scaled(b) < b.scaled(a))
    }

    /// The sum, in the larger timescale; invalid if it cannot be kept.
    public static func + (a: CMTime, b: CMTime) -> CMTime {
        CMTime(seconds: a.seconds + b.seconds, preferredTimescale: max(a.timescale, b.timescale))
    }

    /// The difference, in the larger timescale; invalid if it cannot be kept.
    public static func - (a: CMTime, b: CMTime) -> CMTime {
        CMTime(seconds: a.seconds - b.seconds, preferredTimescale: max(a.timescale, b.timescale))
    }

    /// Equal times have equal hashes.
    public func hash(into hasher: inout Hasher) {
        guard isValid else { return hasher.combine(0) }
        var (a, b) = (value.magnitude, UInt64(timescale))
        while b > 0 { (a, b) = (b, a % b) }
        hasher.combine(value / Int64(max(1, a)))
        hasher.combine(UInt64(timescale) / max(1, a))
    }

    private func scaled(_ other: CMTime) -> Int128 { Int128(value) * Int128(other.timescale) }
}

/// The time in seconds; NaN if it is invalid.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }

/// A time as a number of fractions of a second.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime {
    CMTime(value: value, timescale: timescale)
}

/// The nearest time to a number of seconds.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}
