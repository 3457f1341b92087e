import Degradations

/// What the recordings of a corpus, or some of them, are for.
public enum CorpusRole: Hashable, Sendable, CustomStringConvertible {
    /// Music that is divided by ``SplitRule`` into enrolled, negative and noise recordings.
    case reference
    /// Recordings to query with that are never enrolled.
    case negative
    /// Recordings to mix into queries.
    case noise(MaterialKind)

    /// Reads the word used in recipes and locks: `reference`, `negative`, `noise:speech`,
    /// `noise:ambience` or `noise:music`.
    public init?(_ word: String) {
        guard let role = Self.all.first(where: { $0.description == word }) else { return nil }
        self = role
    }

    /// Every role there is.
    public static var all: [CorpusRole] {
        [.reference, .negative] + MaterialKind.allCases.map(CorpusRole.noise)
    }

    /// The word used in recipes and locks.
    public var description: String {
        switch self {
        case .reference: "reference"
        case .negative: "negative"
        case .noise(let kind): "noise:\(kind.rawValue)"
        }
    }
}
