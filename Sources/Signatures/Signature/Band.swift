import AudioCore

/// A band of frequencies, analysed at a rate of its own by the same transform.
///
/// Low tones are close together and last; high ones are far apart and change at once. So each band has twice the
/// bandwidth of a bin, and half the distance of frames, of the one below. Frames and bins without a band are those of
/// the middle one: 32 ms and 3.90625 Hz.
@usableFromInline package struct Band: Sendable {
    /// Its index in `all`, from low to high.
    package let place: Int
    /// The rate at which it is analysed, in hertz.
    package let sampleRate: Int
    /// Its frame in frames of the middle band.
    package let frame: Float
    /// Its bin in bins of the middle band.
    package let bin: Float
    /// The bins of its spectrogram: whole groups of 16 that cover the band.
    package let rowBins: Int
    /// Its frequencies, in hertz.
    package let hertz: Range<Double>

    @inlinable package static var count: Int { 4 }
    package static let bass = Band(
        place: 0, sampleRate: 2000, frame: 4, bin: 0.25, rowBins: 128, hertz: 0..<bassCrossoverHertz)
    /// Begins a bin above the bass, so that its peaks are the same with and without bass.
    package static let low = Band(
        place: 1, sampleRate: 4000, frame: 2, bin: 0.5, rowBins: 256, hertz: 75..<lowCrossoverHertz)
    package static let middle = Band(
        place: 2, sampleRate: 8000, frame: 1, bin: 1, rowBins: 960,
        hertz: lowCrossoverHertz..<highCrossoverHertz)
    package static let high = Band(
        place: 3, sampleRate: 16_000, frame: 0.5, bin: 2, rowBins: 960,
        hertz: highCrossoverHertz..<Double.infinity)
    @usableFromInline package static let all = [bass, low, middle, high]
    /// The longest frame of a band, in frames of the middle band.
    package static let longestFrame = bass.frame
    /// The frame of the band at a place, in frames of the middle band, for loops.
    @inlinable @inline(__always)
    package static func frame(_ place: Int32) -> Float {
        // 4, 2, 1, 0.5: powers of two, by their exponents.
        Float(bitPattern: UInt32(bitPattern: 129 &- place) << 23)
    }

    // Whole numbers of stored frequencies: 18.7, 118.5 and 947 bins.
    @inlinable package static var bassCrossover: UInt16 { 598 }
    @inlinable package static var lowCrossover: UInt16 { 3792 }
    @inlinable package static var highCrossover: UInt16 { 30_304 }
    private static let bassCrossoverHertz = 72.998_046_875
    private static let lowCrossoverHertz = 462.890_625
    private static let highCrossoverHertz = 3699.218_75

    package var binHertz: Double { Double(bin) * FrequencyScale.binHertz }

    /// The place of the band of a stored frequency.
    @inlinable @inline(__always)
    package static func place(of frequency: UInt16) -> Int {
        (frequency >= bassCrossover ? 1 : 0) + (frequency >= lowCrossover ? 1 : 0)
            + (frequency >= highCrossover ? 1 : 0)
    }

    /// The bands of frequencies in octaves above one bin, for loops.
    @usableFromInline package struct Crossovers {
        @usableFromInline package let bass = FrequencyScale.octaves(bassCrossover)
        @usableFromInline package let low = FrequencyScale.octaves(lowCrossover)
        @usableFromInline package let high = FrequencyScale.octaves(highCrossover)

        package init() {}

        /// The place of the band of a frequency.
        @inlinable @inline(__always)
        package func place(octaves: Float) -> Int {
            (octaves >= bass ? 1 : 0) + (octaves >= low ? 1 : 0) + (octaves >= high ? 1 : 0)
        }
    }
}

/// Bands whose evidence counts together: the middle one, with or without those beside it.
///
/// A band that is buried in noise, or missing in the recording, would count against a match.
@usableFromInline package struct BandSet: Sendable {
    /// A bit for each place.
    @usableFromInline package let places: UInt8

    /// All sets of neighbours with the middle band, those without the bass first.
    package static let all = [0b0100, 0b0110, 0b1100, 0b1110, 0b0111, 0b1111].map(BandSet.init)

    @inlinable @inline(__always)
    package func contains(_ place: Int) -> Bool { places >> UInt8(place) & 1 != 0 }
}

extension Settings.Analysis {
    /// The frequencies of peaks of each band, from low to high, in hertz.
    package var bandsHertz: [Range<Double>] {
        Band.all.compactMap { hertz(of: $0) }
    }

    /// The bands that audio of a rate is analysed in: the low one always is.
    package func analysedBands(inputRate: Int) -> [Band] {
        Band.all.filter { band in
            band.place == Band.low.place
                || (lowestHertz < band.hertz.upperBound
                    && band.hertz.lowerBound < highestHertz(ofAudioAt: inputRate))
        }
    }

    /// The frequencies of peaks of a band, in hertz, in audio of a rate; nil if it has none.
    package func hertz(of band: Band, inputRate: Int = .max) -> Range<Double>? {
        let lowest = max(lowestHertz, band.hertz.lowerBound)
        let highest = min(highestHertz(ofAudioAt: inputRate), band.hertz.upperBound)
        return lowest < highest ? lowest..<highest : nil
    }
}
