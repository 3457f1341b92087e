import AudioCore

/// A program of the user's own that degrades audio.
package protocol DegradationProgram: Sendable {
    /// Degrades a copy of `audio`, equally for equal arguments.
    ///
    /// - Parameters:
    ///   - version: The version that the query was planned with; nil if it is not known.
    ///   - severity: Nil where the plan states none.
    /// - Throws: ``DegradationProgramError`` if the program fails.
    func degrade(
        _ audio: AudioBuffer, by name: String, version: String?, severity: Double?, seed: Int
    ) throws -> DegradedAudio
}

/// What a program made of audio.
package struct DegradedAudio: Sendable, Equatable {
    package var audio: AudioBuffer
    /// How much later the sound is, in seconds; nil if the program does not state it.
    package var delaySeconds: Double?

    package init(_ audio: AudioBuffer, delaySeconds: Double? = nil) {
        self.audio = audio
        self.delaySeconds = delaySeconds
    }
}

/// A degradation that a program offers.
package struct OfferedDegradation: Codable, Hashable, Sendable {
    package var name: String
    /// Another version gives other samples.
    package var version: String
    /// The severities that become conditions of a plan.
    ///
    /// Nil gives one condition without a severity, and an empty list none.
    package var severities: [Double]?

    package init(name: String, version: String, severities: [Double]? = nil) {
        self.name = name
        self.version = version
        self.severities = severities
    }
}

/// A degradation of a program that gives no query.
///
/// It ends the run, because no matcher is to blame and every other query of the degradation is in doubt.
package struct DegradationProgramError: Error, CustomStringConvertible, Sendable {
    package let description: String

    package init(_ name: String, _ message: String) { description = "degradation \(name): \(message)" }
}
