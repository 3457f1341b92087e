import Foundation

/// A transform of audio with fixed parameters, so that applying it again gives the same samples.
///
/// A conforming value is plain data. ``DegradationTemplate`` has already drawn all random choices. The parameters hold
/// the results, or a `seed`.
package protocol Degradation: Codable, Hashable, Sendable {
    /// The name in plans, rows and reports.
    static var name: String { get }

    /// All parameters of plans, including those of the coded value.
    static var parameters: [Parameter] { get }

    /// The group in which reports show it; by default ``ConditionGroup/noise`` if it adds noise, else
    /// ``ConditionGroup/channel``.
    static var group: ConditionGroup { get }

    /// Source seconds for one second of output; nil if the degradation does not change time.
    ///
    /// A chain applies a degradation that changes time to an excerpt with margins, before it cuts the query.
    var sourceSecondsPerSecond: Double? { get }

    /// Whether its speed is constant, if it changes time; such a step needs a shorter margin.
    static var keepsSpeed: Bool { get }

    /// Increases when equal parameters give other samples, or another truth, than before.
    static var version: Int { get }

    /// The recordings that it mixes in; nil if it needs no ``Material``.
    var materialKind: MaterialKind? { get }

    /// Why this machine cannot apply it, whatever the clip; nil if it can.
    var absence: String? { get }

    /// The program that makes its samples, with its version; nil if only libraries of this process do.
    var program: String? { get }

    /// Whether it adds or removes frames at the ends, so that it needs a finished query.
    static var movesEnds: Bool { get }

    /// The parameters in the form in which a plan states its strength; by default those of the coded value.
    var severities: [String: PlainValue] { get throws }

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
    package var sourceSecondsPerSecond: Double? { nil }
    package var materialKind: MaterialKind? { nil }
    package var absence: String? { nil }
    package var program: String? { nil }

    package static var version: Int { 1 }
    package static var group: ConditionGroup { addsNoise ? .noise : .channel }
    package static var keepsSpeed: Bool { false }
    package static var movesEnds: Bool { false }

    package var severities: [String: PlainValue] { get throws { try values } }

    /// Whether it adds noise at an SNR, for which the mono mix of the signal must not be silent.
    package static var addsNoise: Bool { signalToNoiseRatio != nil }

    /// The parameter that is a signal-to-noise ratio; nil if it adds no noise.
    package static var signalToNoiseRatio: Parameter? { parameters.first(where: \.isSignalToNoiseRatio) }

    /// Checks each parameter against its range.
    package func validate() throws { try validateParameters() }

    /// The paths of the files that it reads: its parameters of kind ``Parameter/Kind/file``.
    package var files: [String] {
        let names = Self.parameters.filter { $0.kind == .file }.map(\.name)
        guard !names.isEmpty, let values = try? values else { return [] }
        return names.compactMap { name in
            guard case .string(let path) = values[name] else { return nil }
            return path
        }
    }

    /// Checks each parameter against its range.
    func validateParameters() throws {
        let values = try values
        for parameter in Self.parameters {
            if let value = values[parameter.name] { try parameter.check(value, of: Self.name) }
        }
    }

    /// The parameters of the coded value.
    package var values: [String: PlainValue] {
        get throws {
            do {
                let coded = try JSONDecoder().decode(PlainValue.self, from: JSONEncoder().encode(self))
                guard case .object(let values) = coded else { return [:] }
                return values
            } catch {
                throw DegradationError.invalid("\(Self.name): a parameter is not a finite number")
            }
        }
    }

    /// Checks the parameters and the samples of `clip`.
    func prepare(_ clip: Clip) throws {
        try validate()
        try clip.audio.requireFiniteSamples(for: Self.name)
    }
}

/// The reason why a degradation could not be applied.
package struct DegradationError: Error, CustomStringConvertible, Sendable {
    package enum Code: Sendable {
        /// A parameter is unknown, missing, of the wrong type or out of range.
        case invalidParameter
        /// The clip is unsuitable, such as silence for noise at an SNR.
        case unsuitableAudio
        /// The format does not exist at a rate near the clip's, or this machine cannot encode it, which is not a fault.
        case notOffered
        /// There is no recording of the wanted kind.
        case missingMaterial
    }

    package var code: Code
    package var description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    static func invalid(_ description: String) -> Self { Self(.invalidParameter, description) }
    static func unsuitable(_ description: String) -> Self { Self(.unsuitableAudio, description) }
}
