/// A share of a plan's trials, one of several that together hold each trial once.
///
/// A trial falls on a shard by its position in the plan alone: each shard gets as many trials of every cell as the
/// others, to within one, and so costs about the same.
package struct Shard: Hashable, Sendable {
    /// Which share it is, from 1 to ``count``.
    package let number: Int
    /// How many shares there are, one of ``counts``.
    package let count: Int

    package static let counts = 1...10_000

    /// Makes a shard; nil where there is none of that number.
    package init?(number: Int, count: Int) {
        guard Self.counts.contains(count), (1...count).contains(number) else { return nil }
        self.number = number
        self.count = count
    }

    /// Whether the trial at this position of the plan, counted from 0, falls on the shard.
    package func holds(trialAt index: Int) -> Bool { index >= 0 && index % count == number - 1 }

    /// How many trials of a plan of `trialCount` fall on the shard.
    package func size(of trialCount: Int) -> Int {
        trialCount / count + (trialCount % count >= number ? 1 : 0)
    }
}

extension Shard: LosslessStringConvertible {
    /// Reads `3/8`.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        func isNumber(_ part: Substring) -> Bool { !part.isEmpty && part.utf8.allSatisfy { 48...57 ~= $0 } }
        guard parts.count == 2, parts.allSatisfy(isNumber),
            let number = Int(parts[0]), let count = Int(parts[1])
        else { return nil }
        self.init(number: number, count: count)
    }

    /// `3/8`.
    package var description: String { "\(number)/\(count)" }
}

extension Shard: Codable {
    /// Reads the text `3/8`.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let shard = Shard(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "expected a shard such as 3/8, found \"\(text)\"")
        }
        self = shard
    }

    /// Writes the text `3/8`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
