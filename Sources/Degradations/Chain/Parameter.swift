/// A parameter of a degradation: its name, type, default, and how it gets milder.
package struct Parameter: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A number within a range, in `unit`; a plan may write `{from: a, to: b}` instead.
        case number(ClosedRange<Double>, unit: String? = nil)
        /// An integer within a range, in `unit`; a plan may write `{from: a, to: b}` instead.
        case integer(ClosedRange<Int>, unit: String? = nil)
        case choice([String])
        case text
        /// The path of a file whose content shapes the samples.
        case file
        case flag
        /// An integer from 0 to 2^53 − 1, which JSON keeps exactly; drawn if it is missing.
        case seed
    }

    package enum Absence: Sendable, Hashable {
        case required
        case optional
        /// This value, or a draw from this range.
        case value(PlainValue)
    }

    /// The name in plans and rows, with its unit.
    package let name: String
    package let kind: Kind
    package let absence: Absence
    /// How the minimiser makes a number milder; every number states it.
    package let milder: Milder?
    /// Whether it is the ratio of the signal's power to that of the added noise, in decibels.
    let isSignalToNoiseRatio: Bool

    package init(
        _ name: String, _ kind: Kind, ifAbsent absence: Absence = .required, milder: Milder? = nil,
        isSignalToNoiseRatio: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.absence = absence
        self.milder = milder
        self.isSignalToNoiseRatio = isSignalToNoiseRatio
    }

    /// The seed of all random numbers in `apply`.
    package static let seed = Parameter("seed", .seed)

    /// The signal-to-noise ratio of all noises.
    package static let snrDecibels = Parameter(
        "snrDecibels", .number(-60...120), milder: .up(to: 60, by: .difference(0.5)),
        isSignalToNoiseRatio: true)

    static let seedBound = 1 << 53

    /// The type and range in words.
    var expectation: String {
        switch kind {
        case .number(let range, _): "a number \(range.lowerBound)…\(range.upperBound) \(unit)"
        case .integer(let range, _): "a whole number \(range.lowerBound)…\(range.upperBound)"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .text: "a text"
        case .file: "the path of a file"
        case .flag: "true or false"
        case .seed: "a whole number 0…\(Self.seedBound - 1)"
        }
    }

    /// The unit of a number, unless it is stated that with which its name ends; empty for a count and for anything else.
    package var unit: String {
        switch kind {
        case .number(_, let unit), .integer(_, let unit):
            unit ?? Self.units.first { name.lowercased().hasSuffix($0.key) }?.value ?? ""
        default: ""
        }
    }

    private static let units: KeyValuePairs = [
        "decibels": "dB", "microseconds": "µs", "seconds": "s", "hertz": "Hz", "percent": "%",
        "lufs": "LUFS", "turns": "turns",
    ]

    /// Whether a plan may give a range to draw from.
    package var isDrawable: Bool {
        switch kind {
        case .number, .integer: true
        default: false
        }
    }

    /// Whether `value` has the right type and is within the range.
    package func accepts(_ value: PlainValue) -> Bool {
        switch (kind, value) {
        case (.number(let range, _), _): value.asNumber.map(range.contains) ?? false
        case (.integer(let range, _), _): value.asInteger.map(range.contains) ?? false
        case (.choice(let words), .string(let word)): words.contains(word)
        case (.text, .string), (.file, .string), (.flag, .bool): true
        case (.seed, _): value.asInteger.map((0..<Self.seedBound).contains) ?? false
        default: false
        }
    }

    /// Throws unless `value` is accepted; `owner` is the name of the degradation.
    func check(_ value: PlainValue, of owner: String) throws {
        guard !accepts(value) else { return }
        let range = isDrawable ? ", or {from: a, to: b} to draw from" : ""
        throw DegradationError.invalid("\(owner): \(name) is \(value); expected \(expectation)\(range)")
    }
}
