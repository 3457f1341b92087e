import AudioCore
import Foundation

/// A transform of audio with fixed parameters, so that applying it again gives the same samples.
///
/// A conforming value is plain data. ``DegradationTemplate`` has already drawn all random choices. The parameters hold
/// the results, or a `seed`.
public protocol Degradation: Codable, Hashable, Sendable {
    /// The name in plans, rows and reports.
    static var name: String { get }

    /// All parameters of plans, including those of the coded value.
    static var parameters: [Parameter] { get }

    /// Source seconds for one second of output; nil if the degradation does not change time.
    ///
    /// A chain applies a degradation that changes time to an excerpt with margins, before it cuts the query.
    var sourceSecondsPerSecond: Double? { get }

    /// Increases when equal parameters give other samples than before.
    static var version: Int { get }

    /// Whether it mixes in recordings of a ``Material``.
    static var usesMaterial: Bool { get }

    /// Whether it adds or removes frames at the ends, so that it needs a finished query.
    static var movesEnds: Bool { get }

    /// Checks the parameters.
    ///
    /// - Throws: ``DegradationError`` with code `invalidParameter`.
    func validate() throws

    /// Changes the samples of `clip`, and its maps if time or pitch change.
    ///
    /// - Throws: ``DegradationError`` for parameters out of range, or an unsuitable clip or material.
    func apply(to clip: inout Clip, material: any Material) throws
}

extension Degradation {
    /// By default, a degradation does not change time.
    public var sourceSecondsPerSecond: Double? { nil }

    /// By default, the first version.
    public static var version: Int { 1 }

    /// By default, a degradation mixes nothing in.
    public static var usesMaterial: Bool { false }

    /// By default, the ends stay.
    public static var movesEnds: Bool { false }

    /// Checks each parameter against its range.
    public func validate() throws { try validateParameters() }

    /// Checks each parameter against its range.
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

    /// Checks the parameters and the samples of `clip`.
    func prepare(_ clip: Clip) throws {
        try validate()
        try clip.audio.requireFiniteSamples(for: Self.name)
    }
}

/// The reason why a degradation could not be applied.
public struct DegradationError: Error, CustomStringConvertible, Sendable {
    /// The kind of failure.
    public enum Code: Sendable {
        /// A parameter is unknown, missing, of the wrong type or out of range.
        case invalidParameter
        /// The clip is unsuitable, such as silence for noise at an SNR.
        case unsuitableAudio
        /// The format does not exist at a rate or channel count near the clip's, which is not a fault.
        case notOffered
        /// There is no recording of the wanted kind.
        case missingMaterial
    }

    /// The kind of failure.
    public var code: Code
    /// What is wrong and what is expected.
    public var description: String

    /// Makes an error.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
