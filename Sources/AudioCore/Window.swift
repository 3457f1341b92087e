package enum Window {
    /// The periodic Hann window of `count` samples: 0.5 − 0.5·cos(2πn/count), first sample 0, centre 1.
    ///
    /// F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform",
    /// Proceedings of the IEEE 66(1), 1978.
    package static func hann(_ count: Int) -> [Float] {
        (0..<count).map { Float(0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(count))) }
    }
}
