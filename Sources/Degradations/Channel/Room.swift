import AudioCore
import Foundation

/// Adds the reverberation of a synthetic room: the direct sound and a tail of decaying noise.
///
/// The tail is normal noise that decays exponentially by 60 dB in `rt60Seconds`, 0.05…10 s (J. D. Polack's model, see
/// M. R. Schroeder, JASA 37, 1965). It begins `preDelaySeconds` 0…0.5 s after the direct sound. The energy of the direct
/// path over that of the tail is `directToReverberantDecibels` −30…60 dB. All channels have the same response. The
/// direct path is not delayed.
package struct Room: Degradation {
    package static let name = "room"
    package static let parameters = [
        Parameter("rt60Seconds", .number(0.05...10), milder: .down(to: 0.05, by: .ratio(1.1))),
        Parameter("preDelaySeconds", .number(0...0.5), ifAbsent: .value(0.01), milder: .never),
        Parameter(
            "directToReverberantDecibels", .number(-30...60), ifAbsent: .value(0),
            milder: .up(to: 60, by: .difference(1))),
        .seed,
    ]

    package var rt60Seconds: Double
    package var preDelaySeconds: Double
    package var directToReverberantDecibels: Double
    package var seed: UInt64

    package init(
        rt60Seconds: Double, preDelaySeconds: Double = 0.01, directToReverberantDecibels: Double = 0,
        seed: UInt64
    ) {
        self.rt60Seconds = rt60Seconds
        self.preDelaySeconds = preDelaySeconds
        self.directToReverberantDecibels = directToReverberantDecibels
        self.seed = seed
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        clip.convolve(with: response(sampleRate: clip.audio.sampleRate), direct: 0)
    }

    /// The impulse response at `sampleRate` hertz; its first sample is the direct path, of height 1.
    package func response(sampleRate: Int) -> [Float] {
        let rate = Double(sampleRate)
        var generator = SeededGenerator(seed: seed, Self.name)
        var tail = GaussianNoise.samples(max(1, Int(bounded: rt60Seconds * rate)), using: &generator)
        var energy = 0.0
        for frame in tail.indices {
            tail[frame] *= Float(pow(10, -3 * Double(frame) / rate / rt60Seconds))
            energy += Double(tail[frame]) * Double(tail[frame])
        }
        let gain = Float(1 / (energy * Decibels.powerRatio(directToReverberantDecibels)).squareRoot())
        let gap = max(1, Int(bounded: (preDelaySeconds * rate).rounded()))
        return [1] + [Float](repeating: 0, count: gap - 1) + tail.map { $0 * gain }
    }
}
