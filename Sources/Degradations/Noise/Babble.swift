import AudioCore

/// Adds several simultaneous voices at an exact signal-to-noise ratio.
///
/// `voices` 1…64 recordings of speech are scaled to the same mean power over the query and added. `snrDecibels`
/// −60…120 dB is defined as for ``Noise``. `source` names the corpus of the voices: `speech` is below 4 kHz, `speech-16k`
/// below 8 kHz.
package struct Babble: Degradation {
    package enum Source: String, Codable, Hashable, Sendable, CaseIterable {
        case speech
        case wideSpeech = "speech-16k"
    }

    package static let name = "babble"
    package static let version = 3
    package static let parameters = [
        Parameter("voices", .integer(1...64), ifAbsent: .value(6), milder: .never), .snrDecibels,
        Parameter("source", .choice(Source.allCases.map(\.rawValue)), ifAbsent: .optional), .seed,
    ]

    package var voices: Int
    package var snrDecibels: Double
    /// Nil means `speech`.
    package var source: Source?
    package var seed: UInt64

    package var materialKind: MaterialKind? { kind }

    private var kind: MaterialKind { source == .wideSpeech ? .wideSpeech : .speech }

    package init(voices: Int, snrDecibels: Double, source: Source? = nil, seed: UInt64) {
        self.voices = voices
        self.snrDecibels = snrDecibels
        self.source = source
        self.seed = seed
    }

    package func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let sum = try clip.voices(voices, of: kind, from: material, seed: seed, name: Self.name) { _ in 1 }
        try clip.mix(sum, snrDecibels: snrDecibels, for: Self.name)
    }
}
