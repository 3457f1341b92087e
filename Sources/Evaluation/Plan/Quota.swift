import Corpora

package enum Quota: Sendable, Hashable {
    case trials(Int)
    /// This number from each track that is long enough, so that all tracks have equal weight.
    case perTrack(Int)

    package func count(tracks: Int) -> Int {
        switch self {
        case .trials(let count): count
        case .perTrack(let count): count * max(1, tracks)
        }
    }

    var isPerTrack: Bool { if case .perTrack = self { true } else { false } }

    package var isEmpty: Bool { self == .trials(0) || self == .perTrack(0) }
}

extension YAMLMapping {
    /// A number of trials under a key that must be there: `40`, or `{perTrack: 10}`.
    func quota(_ key: String) throws -> Quota {
        guard let value = self[key], value.isMapping else {
            return .trials(try count(key, in: 0...100_000))
        }
        let mapping = try value.mapping()
        let count = try mapping.count("perTrack", in: 0...10_000)
        try mapping.rejectUnknownKeys()
        return .perTrack(count)
    }
}
