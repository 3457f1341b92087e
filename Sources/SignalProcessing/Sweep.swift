import AudioCore
import Glibc

/// A linear sine sweep of half a second that marks a moment in a recording.
package enum Sweep {
    package static let seconds = 0.5
    /// The first and the last frequency in hertz, which small loudspeakers and recorders of 8 kHz have.
    package static let band = 500.0...3500.0
    /// The lowest rate of a recording, in hertz, that holds the band.
    package static let lowestSampleRate = 8000
    /// How far a sweep that is longer by a small share seems to begin too late: the seconds for a share of 1.
    ///
    /// It is longer and lower. The matched filter aligns one moment of it, which is between 0.36 and 0.58 s after the
    /// beginning, depending on the share.
    package static let apparentDelay = 0.47

    private static let amplitude = 0.5
    private static let fadeSeconds = 0.02

    package static func samples(sampleRate: Int) -> [Float] {
        let rise = (band.upperBound - band.lowerBound) / seconds
        return (0..<Int(bounded: (seconds * Double(sampleRate)).rounded())).map { frame in
            let time = Double(frame) / Double(sampleRate)
            let cycles = (band.lowerBound + rise * time / 2) * time
            let edge = min(1, min(time, seconds - time) / fadeSeconds)
            return Float(amplitude * 0.5 * (1 - cos(.pi * edge)) * sin(2 * .pi * cycles))
        }
    }
}
