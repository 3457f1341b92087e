import AudioCore

/// Real recordings that degradations mix in.
public protocol Material: Sendable {
    /// Cuts `frameCount` one-channel samples at `sampleRate` hertz, chosen by `generator` alone.
    ///
    /// - Throws: ``DegradationError`` with code `missingMaterial` when there is none of the kind.
    func excerpt(
        of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
    ) throws -> [Float]
}

/// What a mixed-in recording holds.
public enum MaterialKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// One voice speaking.
    case speech
    /// Sounds of a place: a collage of effects.
    case ambience
    /// Other music, never enrolled.
    case music
}

/// No recordings at all: for chains that mix none in.
public struct NoMaterial: Material {
    /// Makes the empty material.
    public init() {}

    /// Always fails: there is nothing to cut from.
    public func excerpt(
        of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
    ) throws -> [Float] {
        throw DegradationError(.missingMaterial, "no recording of \(kind.rawValue) to mix in")
    }
}
