import AudioCore

/// A degradation that mixes in an excerpt of a recording at an exact signal-to-noise ratio.
///
/// `snrDecibels` −60…120 dB is defined as for ``Noise``.
public protocol MixedRecording: Degradation {
    /// The kind of recording.
    static var kind: MaterialKind { get }
    /// Signal power over noise power, in decibels.
    var snrDecibels: Double { get }
    /// The seed of all random numbers.
    var seed: UInt64 { get }
}

extension MixedRecording {
    /// What a plan may set.
    public static var parameters: [Parameter] { [.snrDecibels, .seed] }

    /// True, as it mixes in a recording.
    public static var usesMaterial: Bool { true }

    /// Mixes the recording in and stores the measured SNR.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        var generator = SeededGenerator(seed: seed, Self.name)
        let noise = try clip.recording(of: Self.kind, from: material, using: &generator)
        try clip.mix(noise, snrDecibels: snrDecibels, for: Self.name)
    }
}
