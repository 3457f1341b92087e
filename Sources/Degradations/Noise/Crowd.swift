import AudioCore

/// Adds a crowd: many full-band voices at several distances in one room, at an exact signal-to-noise ratio.
///
/// `voices` 1…64 excerpts of speech at 16 kHz have levels from −12 to 0 dB, as talkers at one to four times the shortest
/// distance have. `highShelfDecibels` −40…0 dB is their loss above 4.5 kHz, because most talkers face away. The room has
/// `rt60Seconds` 0.05…10 s and as much reverberation as direct sound. `snrDecibels` is defined as for ``Noise``.
package struct Crowd: Degradation {
    package static let name = "crowd"
    package static let version = 2
    package static let parameters = [
        Parameter("voices", .integer(1...64), ifAbsent: .value(12), milder: .never), .snrDecibels,
        Parameter(
            "rt60Seconds", .number(0.05...10), ifAbsent: .value(0.6),
            milder: .down(to: 0.05, by: .ratio(1.1))),
        Parameter("highShelfDecibels", .number(-40...0), ifAbsent: .value(-8), milder: .never),
        .seed,
    ]

    private static let shelfHertz = 4500.0
    private static let levelsDecibels = -12.0...0

    package var voices: Int
    package var snrDecibels: Double
    package var rt60Seconds: Double
    package var highShelfDecibels: Double
    package var seed: UInt64

    package var materialKind: MaterialKind? { .wideSpeech }

    package init(
        voices: Int = 12, snrDecibels: Double, rt60Seconds: Double = 0.6, highShelfDecibels: Double = -8,
        seed: UInt64
    ) {
        self.voices = voices
        self.snrDecibels = snrDecibels
        self.rt60Seconds = rt60Seconds
        self.highShelfDecibels = highShelfDecibels
        self.seed = seed
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let sum = try clip.voices(voices, of: .wideSpeech, from: material, seed: seed, name: Self.name) {
            Float(Decibels.amplitudeRatio($0.uniform(in: Self.levelsDecibels)))
        }
        var crowd = Clip(sum)
        if Self.shelfHertz < 0.49 * Double(clip.audio.sampleRate) {
            try Shelf(side: .high, frequencyHertz: Self.shelfHertz, gainDecibels: highShelfDecibels)
                .apply(to: &crowd, material: material)
        }
        try Room(rt60Seconds: rt60Seconds, seed: seed).apply(to: &crowd, material: material)
        try clip.mix(crowd.audio, snrDecibels: snrDecibels, for: Self.name)
    }
}
