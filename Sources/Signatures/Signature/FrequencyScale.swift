import AudioCore

/// The units of stored times and frequencies, and the logarithm of every stored frequency.
@usableFromInline package enum FrequencyScale {
    /// Steps of a stored time to a frame.
    @inlinable package static var timeSteps: Int { 64 }
    /// Steps of a stored frequency to a bin.
    @inlinable package static var frequencySteps: Int { 32 }
    /// The time between frames of the middle band in seconds, equal to `Settings.Analysis.frameSeconds`.
    @inlinable package static var frameSeconds: Double { 0.032 }
    /// The width of a bin of the middle band in hertz, equal to `Settings.Analysis.binHertz`.
    @inlinable package static var binHertz: Double { 3.90625 }

    /// log2 of the frequency in bins, for every stored frequency; 0 Hz counts as one step.
    @usableFromInline package static let table: [Float] = (0..<65536).map {
        Float(log2(Double(max(1, $0)) / Double(frequencySteps)))
    }

    /// log2 of a stored frequency, in octaves above one bin (3.90625 Hz).
    @inlinable package static func octaves(_ frequency: UInt16) -> Float { table[Int(frequency)] }
}

/// The natural logarithm of 2, which converts octaves to fractions.
///
/// The last bits of an answer depend on its digits, so each use keeps the digits it was measured with.
@usableFromInline package enum NaturalLogarithmOf2 {
    @inlinable package static var exact: Double { 0.693_147_180_559_945_3 }
    @inlinable package static var elevenDigits: Double { 0.693_147_180_56 }
    @inlinable package static var sixDigits: Double { 0.693_147 }
    @inlinable package static var sixDigitsSingle: Float { 0.693_147 }
    @inlinable package static var fourDigitsSingle: Float { 0.6931 }
    @inlinable package static var reciprocalSingle: Float { 1.442_695 }
}

/// Conversions between a skew as a fraction and in octaves.
package enum Skew {
    package static func fraction(octaves: Double) -> Double { expm1(octaves * NaturalLogarithmOf2.exact) }

    package static func octaves(fraction: Double) -> Float {
        Float(log1p(fraction) / NaturalLogarithmOf2.exact)
    }
}
