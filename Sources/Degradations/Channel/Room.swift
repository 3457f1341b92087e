import AudioCore
import Foundation

/// Adds the reverberation of a synthetic room: the direct sound and a tail of decaying noise.
///
/// The tail is normal noise that decays exponentially by 60 dB in `rt60Seconds`, 0.05…10 s (J. D. Polack's model, see
/// M. R. Schroeder, JASA 37, 1965). It begins `preDelaySeconds` 0…0.5 s after the direct sound. The energy of the direct
/// path over that of the tail is `directToReverberantDecibels` −30…60 dB. All channels have the same response. The
/// direct path is not delayed.
public struct Room: Degradation {
    /// The name in plans, rows and reports.
    public static let name = "room"
    /// What a plan may set.
    public static let parameters = [
        Parameter("rt60Seconds", .number(0.05...10, unit: "s")),
        Parameter("preDelaySeconds", .number(0...0.5, unit: "s"), ifAbsent: .value(0.01)),
        Parameter("directToReverberantDecibels", .number(-30...60, unit: "dB"), ifAbsent: .value(0)),
        .seed,
    ]

    /// The time in which the tail decays by 60 dB, in seconds.
    public var rt60Seconds: Double
    /// The time from the direct sound to the start of the tail, in seconds.
    public var preDelaySeconds: Double
    /// The energy of the direct path over that of the tail, in decibels.
    public var directToReverberantDecibels: Double
    /// The seed of all random numbers.
    public var seed: UInt64

    /// Makes a room.
    public init(
        rt60Seconds: Double, preDelaySeconds: Double = 0.01, directToReverberantDecibels: Double = 0,
        seed: UInt64
    ) {
        self.rt60Seconds = rt60Seconds
        self.preDelaySeconds = preDelaySeconds
        self.directToReverberantDecibels = directToReverberantDecibels
        self.seed = seed
    }

    /// Convolves every channel with the room's response.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        clip.convolve(with: response(sampleRate: clip.audio.sampleRate), direct: 0)
    }

    /// The impulse response at `sampleRate` hertz; its first sample is the direct path, of height 1.
    public func response(sampleRate: Int) -> [Float] {
        let rate = Double(sampleRate)
        var generator = SeededGenerator(seed: seed, Self.name)
        var tail = GaussianNoise.samples(max(1, Int(rt60Seconds * rate)), using: &generator)
        var energy = 0.0
        for frame in tail.indices {
            tail[frame] *= Float(pow(10, -3 * Double(frame) / rate / rt60Seconds))
            energy += Double(tail[frame]) * Double(tail[frame])
        }
        let gain = Float(1 / (energy * Decibels.powerRatio(directToReverberantDecibels)).squareRoot())
        let gap = max(1, Int((preDelaySeconds * rate).rounded()))
        return [1] + [Float](repeating: 0, count: gap - 1) + tail.map { $0 * gain }
    }
}
