import AudioCore

/// The units of stored times and frequencies, and the logarithm of every stored frequency.
enum FrequencyScale {
    /// Steps of a stored time to a frame.
    static let timeSteps = 64
    /// Steps of a stored frequency to a bin.
    static let frequencySteps = 32
    /// The time between frames of the middle band in seconds, equal to `Settings.Analysis.frameSeconds`.
    static let frameSeconds = 0.032
    /// The width of a bin of the middle band in hertz, equal to `Settings.Analysis.binHertz`.
    static let binHertz = 3.90625

    /// log2 of the frequency in bins, for every stored frequency; 0 Hz counts as one step.
    static let table: [Float] = (0..<65536).map { Float(log2(Double(max(1, $0)) / Double(frequencySteps))) }

    /// log2 of a stored frequency, in octaves above one bin (3.90625 Hz).
    static func octaves(_ frequency: UInt16) -> Float { table[Int(frequency)] }
}

/// The natural logarithm of 2, which converts octaves to fractions.
///
/// The last bits of an answer depend on its digits, so each use keeps the digits it was measured with.
enum NaturalLogarithmOf2 {
    static let exact = 0.693_147_180_559_945_3
    static let elevenDigits = 0.693_147_180_56
    static let sixDigits = 0.693_147
    static let sixDigitsSingle: Float = 0.693_147
    static let fourDigitsSingle: Float = 0.6931
    static let reciprocalSingle: Float = 1.442_695
}

/// Conversions between a skew as a fraction and in octaves.
enum Skew {
    static func fraction(octaves: Double) -> Double { expm1(octaves * NaturalLogarithmOf2.exact) }

    static func octaves(fraction: Double) -> Float { Float(log1p(fraction) / NaturalLogarithmOf2.exact) }
}
