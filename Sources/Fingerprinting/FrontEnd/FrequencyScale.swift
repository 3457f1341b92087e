#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What stored times and frequencies of peaks are multiples of, and the logarithm of every such frequency.
enum FrequencyScale {
    /// Steps of a stored frequency to a bin, and of a stored time to a frame.
    static let steps = 64
    /// The time from one frame to the next, in seconds: what `Settings.Analysis.frameSeconds` says.
    static let frameSeconds = 0.032
    /// The width of a bin, in hertz: what `Settings.Analysis.binHertz` says.
    static let binHertz = 3.90625

    /// log2 of the frequency in bins, for every stored frequency; 0 Hz counts as one step.
    static let table: [Float] = (0..<65536).map { Float(log2(Double(max(1, $0)) / Double(steps))) }

    /// log2 of a stored frequency, in octaves above one bin (3.90625 Hz).
    static func octaves(_ frequency: UInt16) -> Float { table[Int(frequency)] }
}
