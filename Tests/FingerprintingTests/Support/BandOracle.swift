import Fingerprinting

/// The bands as the documentation states them: below 73.0 Hz, up to 462.9 Hz, up to 3,699.2 Hz, and above.
enum BandOracle {
    static let starts: [UInt16] = [0, 598, 3792, 30_304]
    /// The lowest frequency that each band looks at: the second leaves a bin to the first.
    static let lowestHertz = [0, 75, hertz(2), hertz(3)]
    /// The frame of each band in frames of 32 ms.
    static let frames = [4.0, 2, 1, 0.5]
    /// The bin of each band in bins of 3.90625 Hz.
    static let bins = [0.25, 0.5, 1, 2]
    /// The bands that count together.
    static let sets: [Set<Int>] = [[2], [1, 2], [2, 3], [1, 2, 3], [0, 1, 2], [0, 1, 2, 3]]

    static func hertz(_ band: Int) -> Double { Double(starts[band]) / 32 * 3.90625 }

    static func band(_ peak: Peak) -> Int { starts.lastIndex { peak.frequency >= $0 } ?? 0 }

    /// The frequency in bins of 3.90625 Hz.
    static func bins(_ peak: Peak) -> Double { Double(peak.frequency) / 32 }
}
