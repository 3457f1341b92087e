/// One parameter of a degradation: its name, what it may be, and what holds when a plan leaves it out.
public struct Parameter: Sendable, Hashable {
    /// What a parameter may be.
    public enum Kind: Sendable, Hashable {
        /// A number within a range, in `unit`; a plan may write `{from: a, to: b}` instead.
        case number(ClosedRange<Double>, unit: String)
        /// A whole number within a range; a plan may write `{from: a, to: b}` instead.
        case integer(ClosedRange<Int>)
        /// One of these words.
        case choice([String])
        /// Any text.
        case text
        /// True or false.
        case flag
        /// A whole number from 0 to 2^53 − 1 (what JSON carries exactly); drawn when left out.
        case seed
    }

    /// What holds when a plan does not name the parameter.
    public enum Absence: Sendable, Hashable {
        /// It must be named.
        case required
        /// The degradation does without.
        case optional
        /// This value, or a draw from this range.
        case value(PlainValue)
    }

    /// The name in plans and rows, with its unit.
    public let name: String
    /// What it may be.
    public let kind: Kind
    /// What holds without it.
    public let absence: Absence

    /// Makes a parameter.
    public init(_ name: String, _ kind: Kind, ifAbsent absence: Absence = .required) {
        self.name = name
        self.kind = kind
        self.absence = absence
    }

    /// The parameter that holds the seed of all chance in `apply`.
    public static let seed = Parameter("seed", .seed)

    /// One more than the greatest seed.
    public static let seedBound = 1 << 53

    /// What is expected, in words for an error text or a table.
    public var expectation: String {
        switch kind {
        case .number(let range, let unit): "a number \(range.lowerBound)…\(range.upperBound) \(unit)"
        case .integer(let range): "a whole number \(range.lowerBound)…\(range.upperBound)"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .text: "a text"
        case .flag: "true or false"
        case .seed: "a whole number 0…\(Self.seedBound - 1)"
        }
    }

    /// Whether a plan may give a range to draw from.
    public var isDrawable: Bool {
        switch kind {
        case .number, .integer: true
        default: false
        }
    }

    /// Whether `value` is of the right kind and within the range.
    public func accepts(_ value: PlainValue) -> Bool {
        switch (kind, value) {
        case (.number(let range, _), _): value.asNumber.map(range.contains) ?? false
        case (.integer(let range), _): value.asInteger.map(range.contains) ?? false
        case (.choice(let words), .string(let word)): words.contains(word)
        case (.text, .string), (.flag, .bool): true
        case (.seed, _): value.asInteger.map((0..<Self.seedBound).contains) ?? false
        default: false
        }
    }

    /// Throws unless `value` is accepted; `owner` is the degradation's name.
    func check(_ value: PlainValue, of owner: String) throws {
        guard !accepts(value) else { return }
        let range = isDrawable ? ", or {from: a, to: b} to draw from" : ""
        throw DegradationError(
            .invalidParameter, "\(owner): \(name) is \(value); expected \(expectation)\(range)")
    }
}
