import AudioCore
import Foundation

/// Degradations in the order of their application.
///
/// The steps up to the last one that changes time get an excerpt with margins, so that resamplers and stretchers start
/// and end on real sound. Then the chain cuts the query, and the other steps get only the query.
package struct DegradationChain: Codable, Hashable, Sendable {
    package var steps: [AnyDegradation]

    /// The margin on either side of the excerpt for time-changing steps, in source seconds.
    package static let marginSeconds = 1.0
    /// The margin for steps of constant speed, whose filters and windows are shorter.
    private static let shortMarginSeconds = 0.25
    /// The most source for one query, in seconds.
    package static let longestSeconds = 3600.0

    package init(steps: [AnyDegradation] = []) { self.steps = steps }

    /// Checks every step, and that no step before a time-changing one moves the ends.
    ///
    /// - Throws: ``DegradationError`` with code `invalidParameter`.
    package func validate() throws {
        for step in steps { try step.value.validate() }
        guard let last = lastTimeChange else { return }
        for step in steps[..<last] where type(of: step.value).movesEnds {
            throw DegradationError.invalid(
                "\(step.name) must come after \(steps[last].name), which is applied before the query is cut")
        }
    }

    /// The source seconds for a query of `seconds`, with margins if a step changes time.
    package func sourceSeconds(forSeconds seconds: Double) -> Double {
        seconds * sourceSecondsPerSecond + (lastTimeChange == nil ? 0 : 2 * Self.marginSeconds)
    }

    /// Cuts a query out of `source` and degrades it; a pure function of its arguments.
    ///
    /// The query begins at the sample nearest to `startSeconds` of the source. The clip's time map has the exact place.
    /// The query is silent beyond the ends of the source. `lengthSeconds` is in query time, rounded to a whole number of
    /// frames, at least one. It may need at most ``longestSeconds`` of source.
    /// - Throws: ``DegradationError``.
    package func render(
        source: any FrameSource, startSeconds: Double, lengthSeconds: Double, material: any Material
    ) throws -> Clip {
        try validate()
        let rate = Double(source.sampleRate)
        let frames = (lengthSeconds * rate).rounded()
        let sourceSeconds = sourceSeconds(forSeconds: lengthSeconds)
        guard startSeconds.isFinite, abs(startSeconds) <= 1e9, frames >= 1,
            sourceSeconds <= Self.longestSeconds
        else {
            throw DegradationError.invalid(
                "cannot cut \(lengthSeconds) s at \(startSeconds) s; expected a length of at least one frame, "
                    + "made from at most \(Self.longestSeconds) s of source")
        }
        guard try source.frameCount > 0 else { throw DegradationError.unsuitable("the source is empty") }
        let start = Int(bounded: (startSeconds * rate).rounded())
        guard let last = lastTimeChange else {
            var clip = Clip(
                try source.excerpt(from: start, count: Int(frames)), startSeconds: Double(start) / rate)
            try clip.audio.requireFiniteSamples(for: "source")
            for step in steps { try step.value.apply(to: &clip, material: material) }
            return clip
        }
        let isSteady = steps[...last].allSatisfy { type(of: $0.value).keepsSpeed }
        let margin = Int(
            bounded: ((isSteady ? Self.shortMarginSeconds : Self.marginSeconds) * rate).rounded())
        let span = Int(bounded: (frames * sourceSecondsPerSecond).rounded())
        var clip = Clip(
            try source.excerpt(from: start - margin, count: span + 2 * margin),
            startSeconds: Double(start - margin) / rate)
        clip.signalFrames = margin..<(margin + span)
        for step in steps[...last] { try step.value.apply(to: &clip, material: material) }
        let newRate = Double(clip.audio.sampleRate)
        clip.cut(
            from: Int(bounded: (clip.timeMap.inverse(startSeconds) * newRate).rounded()),
            count: Int(bounded: (lengthSeconds * newRate).rounded()))
        for step in steps[(last + 1)...] { try step.value.apply(to: &clip, material: material) }
        return clip
    }

    /// The last step of a kind; nil if there is none.
    package func last<Kind: Degradation>(_ kind: Kind.Type) -> Kind? {
        steps.lazy.reversed().compactMap { $0.value as? Kind }.first
    }

    /// The steps that change something.
    package var effectiveSteps: [AnyDegradation] { steps.filter { !($0.value is Identity) } }

    /// Whether a step adds noise at an SNR.
    package var addsNoise: Bool { steps.contains { type(of: $0.value).addsNoise } }

    private var lastTimeChange: Int? { steps.lastIndex { $0.value.sourceSecondsPerSecond != nil } }

    private var sourceSecondsPerSecond: Double {
        steps.reduce(1) { $0 * ($1.value.sourceSecondsPerSecond ?? 1) }
    }
}

extension DegradationChain {
    /// The steps as one line of JSON with sorted keys.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(steps) else { return "[]" }
        return String(decoding: data, as: UTF8.self)
    }

    /// Reads ``json``.
    ///
    /// - Throws: ``DegradationError`` or `DecodingError`, also for a degradation that this version does not have.
    package init(json: String) throws {
        self.init(steps: try JSONDecoder().decode([AnyDegradation].self, from: Data(json.utf8)))
    }
}
