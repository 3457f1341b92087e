import Matchers

/// A kind of condition, by the steps of the chain.
public enum ConditionGroup: String, Sendable, CaseIterable {
    case length
    case noise
    case skew
    case sampleRate
    case format
    /// Rooms, filters, clipping and other changes on the way.
    case channel
    case combination
    /// Encodings crossed with sample rates or layouts (``FormatMatrix``).
    case matrix
    case other

    package var title: String {
        switch self {
        case .length: "Query length"
        case .noise: "Noise"
        case .skew: "Speed, pitch and tempo"
        case .sampleRate: "Sample rate"
        case .format: "Format"
        case .channel: "Room and channel"
        case .combination: "Combinations"
        case .matrix: "Format matrix"
        case .other: "Other"
        }
    }

    package init(_ chain: ChainSteps, hasPositives: Bool) {
        let groups = Set(
            chain.steps.compactMap { step in step.name == "identity" ? nil : Self.of(step.name) })
        if groups.isEmpty {
            self = hasPositives ? .length : .other
        } else if let only = groups.first, groups.count == 1 {
            self = only
        } else if groups.isSubset(of: [.sampleRate, .format]) {
            self = .format
        } else {
            self = .combination
        }
    }

    private static func of(_ step: String) -> ConditionGroup {
        switch step {
        case "truncate", "silence": .length
        case "noise", "babble", "crowd", "ambience", "music": .noise
        case "speed", "pitch", "tempo", "drift", "wow": .skew
        case "resample": .sampleRate
        case "format", "layout": .format
        default: .channel
        }
    }
}
