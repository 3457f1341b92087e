import Glibc

/// A linear sine sweep of half a second that marks a moment in a recording.
package enum Sweep: Sendable, CaseIterable {
    case rising
    case falling

    package static let seconds = 0.5
    /// The band in hertz, which small loudspeakers and recorders of 8 kHz have.
    package static let band = 500.0...3500.0
    /// The lowest rate of a recording, in hertz, that holds the band.
    package static let lowestSampleRate = 8000

    private static let amplitude = 0.5
    private static let fadeSeconds = 0.02

    package func samples(sampleRate: Int) -> [Float] {
        let start = self == .rising ? Self.band.lowerBound : Self.band.upperBound
        let end = self == .rising ? Self.band.upperBound : Self.band.lowerBound
        return (0..<Self.frameCount(sampleRate: sampleRate)).map { frame in
            let time = Double(frame) / Double(sampleRate)
            let cycles = (start + (end - start) * time / (2 * Self.seconds)) * time
            let edge = min(1, min(time, Self.seconds - time) / Self.fadeSeconds)
            return Float(Self.amplitude * 0.5 * (1 - cos(.pi * edge)) * sin(2 * .pi * cycles))
        }
    }

    package static func frameCount(sampleRate: Int) -> Int { Int((seconds * Double(sampleRate)).rounded()) }
}
