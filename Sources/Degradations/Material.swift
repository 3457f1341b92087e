import AudioCore

/// What degradations need beside the clip: recordings to mix in, and a program.
package protocol Material: Sendable {
    /// Cuts `frameCount` one-channel samples at `sampleRate` hertz; only `generator` decides from where.
    ///
    /// - Throws: ``DegradationError`` with code `missingMaterial` without a recording of the kind.
    func excerpt(
        of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
    ) throws -> [Float]

    /// The program that applies degradations of the user's own; nil if there is none.
    var program: (any DegradationProgram)? { get }
}

extension Material {
    package var program: (any DegradationProgram)? { nil }
}

/// The content of a mixed-in recording.
package enum MaterialKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// One voice.
    case speech
    /// The sounds of a place, a collage of effects.
    case ambience
    /// Music that is never enrolled.
    case music
    /// One voice, sampled at 16 kHz.
    case wideSpeech = "speech-16k"
}

/// No recordings, for chains that need none.
package struct NoMaterial: Material {
    package init() {}

    package func excerpt(
        of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
    ) throws -> [Float] {
        throw DegradationError(.missingMaterial, "no recording of \(kind.rawValue) to mix in")
    }
}
