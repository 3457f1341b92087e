import Degradations

package enum CorpusRole: Hashable, Sendable, CustomStringConvertible {
    /// Music that is divided by ``SplitRule`` into enrolled, negative and noise recordings.
    case reference
    case negative
    case noise(MaterialKind)

    /// Reads the word used in recipes and locks: `reference`, `negative`, `noise:speech`,
    /// `noise:ambience`, `noise:music` or `noise:speech-16k`.
    package init?(_ word: String) {
        guard let role = Self.all.first(where: { $0.description == word }) else { return nil }
        self = role
    }

    package static var all: [CorpusRole] {
        [.reference, .negative] + MaterialKind.allCases.map(CorpusRole.noise)
    }

    package var description: String {
        switch self {
        case .reference: "reference"
        case .negative: "negative"
        case .noise(let kind): "noise:\(kind.rawValue)"
        }
    }
}

extension YAMLMapping {
    /// A half of a corpus; the test half where the key is missing.
    ///
    /// - Throws: ``ConfigurationError`` with file and line when it names neither half.
    package func half(_ key: String) throws -> CorpusHalf {
        let name = try string(key, default: CorpusHalf.test.rawValue)
        guard let half = CorpusHalf(rawValue: name) else {
            throw error("`\(key)`: expected test or tuning, found \"\(name)\"")
        }
        return half
    }
}
