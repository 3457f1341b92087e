/// A kind of degradation, and of conditions by the steps of their chain.
public enum ConditionGroup: String, Sendable, CaseIterable {
    case length
    case noise
    case skew
    case sampleRate
    case format
    /// Rooms, filters, clipping and other changes on the way.
    case channel
    case combination
    /// Encodings crossed with sample rates or layouts.
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

    /// The group of a condition with this chain.
    package init(_ chain: DegradationChain, hasPositives: Bool) {
        let groups = Set(chain.effectiveSteps.map { type(of: $0.value).group })
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
}
