/// Conversions between decibels and ratios.
public enum Decibels {
    /// The decibels of a ratio of powers; −∞ for 0.
    public static func fromPowerRatio(_ ratio: Double) -> Double { 10 * log10(ratio) }

    /// The ratio of powers for `decibels`.
    public static func powerRatio(_ decibels: Double) -> Double { pow(10, decibels / 10) }

    /// The ratio of amplitudes for `decibels`.
    public static func amplitudeRatio(_ decibels: Double) -> Double { pow(10, decibels / 20) }
}
