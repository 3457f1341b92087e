/// The half of the recordings that queries are cut from.
public enum CorpusHalf: String, Codable, Hashable, Sendable, CaseIterable {
    case tuning
    case test

    /// The half that is held out from this one.
    package var other: CorpusHalf { self == .tuning ? .test : .tuning }
}

/// Whether a recording is enrolled, and from which half queries are cut.
package enum TrackRole: Hashable, Sendable, CustomStringConvertible {
    case negative
    /// Mixed into queries; never enrolled nor queried with.
    case noise
    case enrolled(CorpusHalf)

    /// The word for it in lists: `negative`, `noise`, `enrolled:tuning` or `enrolled:test`.
    package var description: String {
        switch self {
        case .negative: "negative"
        case .noise: "noise"
        case .enrolled(let half): "enrolled:\(half.rawValue)"
        }
    }
}

/// Divides recordings into roles and halves by checksum alone, independent of their order, number and names.
///
/// The SHA-256 digest of the packaged file of a class's first member is read as one big-endian number, so its lowest
/// bits are those of its last byte. That number mod 8 (bits 2…0) decides the role of music: 0 and 1 negative, 2
/// other-music noise, 3 to 7 enrolled. Bit 3 chooses the half of every recording, whatever its role: 0 tuning, 1 test.
/// All members of a class share one role and one half.
package enum SplitRule {
    /// The role that goes with the digest of a class's first file.
    ///
    /// - Parameter digest: 64 hexadecimal digits.
    /// - Returns: Nil when `digest` is something else.
    package static func role(ofDigest digest: String) -> TrackRole? {
        guard let lastByte = lastByte(ofDigest: digest) else { return nil }
        switch lastByte & 0b111 {
        case 0, 1: return .negative
        case 2: return .noise
        default: return .enrolled(half(ofLastByte: lastByte))
        }
    }

    /// The half that goes with the digest of a class's first file; nil when `digest` is no digest.
    package static func half(ofDigest digest: String) -> CorpusHalf? {
        lastByte(ofDigest: digest).map(half)
    }

    private static func half(ofLastByte byte: UInt8) -> CorpusHalf { byte & 0b1000 == 0 ? .tuning : .test }

    private static func lastByte(ofDigest digest: String) -> UInt8? {
        guard digest.utf8.count == 64, digest.allSatisfy(\.isHexDigit) else { return nil }
        return UInt8(digest.suffix(2), radix: 16)
    }
}
