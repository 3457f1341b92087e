import AudioCore
import Foundation

/// One transform of audio with all its parameters fixed, so that applying it again gives the same samples.
///
/// A conforming value is plain data: random choices were drawn before (see
/// ``DegradationTemplate``) and are kept in its parameters, at most as a `seed`.
public protocol Degradation: Codable, Hashable, Sendable {
    /// The word that names it in plans, rows and reports.
    static var name: String { get }

    /// All parameters that a plan may name; those of the coded value are among them.
    static var parameters: [Parameter] { get }

    /// Source seconds needed to make one second of output; nil unless time itself is changed.
    ///
    /// A value other than nil marks the degradation as one that changes time: a chain applies
    /// it to the excerpt with margins, before the query is cut to length.
    var sourceSecondsPerSecond: Double? { get }

    /// Grows whenever equal parameters give other samples than before.
    static var version: Int { get }

    /// Whether it mixes in recordings of a ``Material``.
    static var usesMaterial: Bool { get }

    /// Whether it adds or removes frames at the ends, so that it only makes sense on a finished query.
    static var movesEnds: Bool { get }

    /// Checks the parameters before anything is run.
    ///
    /// - Throws: ``DegradationError`` with code `invalidParameter`.
    func validate() throws

    /// Changes `clip` in place: its samples and, where it moves time or pitch, its maps.
    ///
    /// - Throws: ``DegradationError`` when a parameter is out of range, or the clip or the
    ///   material cannot be worked on.
    func apply(to clip: inout Clip, material: any Material) throws
}

extension Degradation {
    /// Time is left alone unless a degradation says otherwise.
    public var sourceSecondsPerSecond: Double? { nil }

    /// The first version unless a degradation says otherwise.
    public static var version: Int { 1 }

    /// Nothing is mixed in unless a degradation says otherwise.
    public static var usesMaterial: Bool { false }

    /// The ends stay unless a degradation says otherwise.
    public static var movesEnds: Bool { false }

    /// Checks each parameter against its own range.
    public func validate() throws { try validateParameters() }

    /// Checks each parameter against its own range.
    func validateParameters() throws {
        let coded: PlainValue
        do {
            coded = try JSONDecoder().decode(PlainValue.self, from: JSONEncoder().encode(self))
        } catch {
            throw DegradationError(.invalidParameter, "\(Self.name): a parameter is not a finite number")
        }
        guard case .object(let values) = coded else { return }
        for parameter in Self.parameters {
            if let value = values[parameter.name] { try parameter.check(value, of: Self.name) }
        }
    }

    /// Checks the parameters and that `clip` holds sound that can be worked on.
    func prepare(_ clip: Clip) throws {
        try validate()
        try clip.audio.requireFiniteSamples(for: Self.name)
    }
}

/// A degradation that could not be applied, and why.
public struct DegradationError: Error, CustomStringConvertible, Sendable {
    /// What kind of failure.
    public enum Code: Sendable {
        /// A parameter is unknown, missing, of a wrong kind or outside its range.
        case invalidParameter
        /// The clip cannot carry it: silence for noise at an SNR, say.
        case unsuitableAudio
        /// The format does not exist at any rate or channel count near the clip's; not a fault.
        case notOffered
        /// Noise of the wanted kind is missing.
        case missingMaterial
    }

    /// What kind of failure.
    public var code: Code
    /// What was found and what was expected.
    public var description: String

    /// Makes an error.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
