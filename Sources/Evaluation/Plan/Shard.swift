/// A share of a plan's trials; all shards together hold each trial once.
///
/// The position in the plan alone decides the shard of a trial. Numbers of trials of any cell differ by at most one
/// between shards, so shards cost about the same.
public struct Shard: Hashable, Sendable {
    /// Which share it is, from 1 to ``count``.
    public let number: Int
    /// How many shares there are, one of ``counts``.
    public let count: Int

    package static let counts = 1...10_000

    /// Nil unless both numbers are in range.
    public init?(number: Int, count: Int) {
        guard Self.counts.contains(count), (1...count).contains(number) else { return nil }
        self.number = number
        self.count = count
    }

    /// Whether the trial at this position of the plan, counted from 0, falls on the shard.
    public func holds(trialAt index: Int) -> Bool { index >= 0 && index % count == number - 1 }

    package func size(of trialCount: Int) -> Int {
        trialCount / count + (trialCount % count >= number ? 1 : 0)
    }
}

extension Shard: LosslessStringConvertible {
    /// Reads `i/n`.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        func isNumber(_ part: Substring) -> Bool { !part.isEmpty && part.utf8.allSatisfy { 48...57 ~= $0 } }
        guard parts.count == 2, parts.allSatisfy(isNumber),
            let number = Int(parts[0]), let count = Int(parts[1])
        else { return nil }
        self.init(number: number, count: count)
    }

    /// The text `i/n`.
    public var description: String { "\(number)/\(count)" }
}

extension Shard: Codable {
    /// Reads the text `i/n`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let shard = Shard(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "expected a shard such as 3/8, found \"\(text)\"")
        }
        self = shard
    }

    /// Writes the text `i/n`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
