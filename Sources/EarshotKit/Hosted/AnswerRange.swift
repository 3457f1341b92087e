/// What numbers in answers of a server can be.
///
/// They are checked here once, when an answer is decoded. Beyond this, code may rely on them.
enum AnswerRange {
    /// Of times in a reference, in seconds.
    static let offsets = -1e7...1e7
    /// Half to double speed.
    static let skews = -0.5...1.0
    static let errors = 0...Double.greatestFiniteMagnitude
    /// Of scores and logarithms, which JSON has as finite numbers.
    static let scores = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
    static let probabilities = 0...1.0
    /// Of a delay in a room, in seconds.
    static let delays = -10...10.0
    /// Of a chance that may be more than likely, because it is corrected.
    static let chances = 0...1e3
    static let hours = CatalogLimit.hours
    static let counts = 0...1_000_000_000
    static let generations = 0...Int(Int32.max)
}

extension KeyedDecodingContainer {
    /// Decodes a number, which must be in a range.
    func decode<Number: Decodable & Comparable>(_ key: Key, in range: ClosedRange<Number>) throws -> Number {
        let number = try decode(Number.self, forKey: key)
        guard range.contains(number) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "\(number) is not in \(range.lowerBound)...\(range.upperBound)")
        }
        return number
    }
}
