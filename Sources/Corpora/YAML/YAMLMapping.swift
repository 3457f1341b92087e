import SystemIO

/// A mapping that remembers which keys were asked for, so that all others can be refused.
///
/// Ask for every key that may stand here, then call ``rejectUnknownKeys()``.
package final class YAMLMapping {
    private let entries: [YAMLValue.Entry]
    private let place: YAMLValue
    private var known: [String] = []

    package init(entries: [YAMLValue.Entry], place: YAMLValue) {
        self.entries = entries
        self.place = place
    }

    package var line: Int { place.line }

    package var keys: [String] { entries.map(\.key) }

    package func error(_ message: String) -> ConfigurationError { place.error(message) }

    /// The value of `key`, which then counts as known; nil when it is absent or null.
    package subscript(key: String) -> YAMLValue? {
        if !known.contains(key) { known.append(key) }
        guard let value = entries.first(where: { $0.key == key })?.value, !value.isNull else { return nil }
        return value
    }

    package func required(_ key: String) throws -> YAMLValue {
        if let value = self[key] { return value }
        let near = keys.filter { !known.contains($0) }.nearest(to: key)
        throw error("the key `\(key)` is missing" + (near.map { "; found `\($0)`" } ?? ""))
    }

    package func string(_ key: String, default fallback: String? = nil) throws -> String {
        try named(key) { try self[key]?.string() ?? fallback ?? required(key).string() }
    }

    package func int(_ key: String, default fallback: Int? = nil) throws -> Int {
        try named(key) { try self[key]?.int() ?? fallback ?? required(key).int() }
    }

    package func double(_ key: String, default fallback: Double? = nil) throws -> Double {
        try named(key) { try self[key]?.double() ?? fallback ?? required(key).double() }
    }

    package func bool(_ key: String, default fallback: Bool) throws -> Bool {
        try named(key) { try self[key]?.bool() ?? fallback }
    }

    package func list(_ key: String) throws -> [YAMLValue] {
        try named(key) { try self[key]?.list() ?? [] }
    }

    package func mapping(_ key: String) throws -> YAMLMapping? {
        try named(key) { try self[key]?.mapping() }
    }

    /// Refuses every key that was never asked for.
    ///
    /// - Throws: ``ConfigurationError`` for the first of them, listing those that are allowed.
    package func rejectUnknownKeys() throws {
        guard let unknown = entries.first(where: { !known.contains($0.key) }) else { return }
        throw ConfigurationError(
            file: place.file, line: unknown.line,
            message:
                "unknown key `\(unknown.key)`; expected one of: \(known.sorted().joined(separator: ", "))")
    }

    private func named<T>(_ key: String, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch var error as ConfigurationError {
            if !error.message.contains("`\(key)`") { error.message = "`\(key)`: \(error.message)" }
            throw error
        }
    }
}

extension YAMLMapping {
    /// A number within `range`; `fallback`, which may be outside, where the key is absent.
    package func count(
        _ key: String, in range: ClosedRange<Int>, default fallback: Int? = nil
    ) throws -> Int {
        if let fallback, self[key] == nil { return fallback }
        let value = try int(key)
        guard range.contains(value) else {
            throw error(
                "`\(key)`: expected a number in \(range.lowerBound)…\(range.upperBound), found \(value)")
        }
        return value
    }

    package func length(_ key: String, default fallback: Double) throws -> Double {
        try checkedLength(double(key, default: fallback))
    }

    package func checkedLength(_ seconds: Double) throws -> Double {
        let range = 0.05...3600.0
        guard range.contains(seconds) else {
            throw error("a query length of \(seconds) s; expected \(range.lowerBound)…\(range.upperBound) s")
        }
        return seconds
    }

    /// A range, `{from: a, to: b}`, or a single number; `unit` is for the error.
    package func range(
        _ key: String, in allowed: ClosedRange<Double>, unit: String = "seconds",
        default fallback: ClosedRange<Double>? = nil
    ) throws -> ClosedRange<Double> {
        if let fallback, self[key] == nil { return fallback }
        let value = try required(key)
        let ends: (Double, Double)
        if value.isMapping {
            let range = try value.mapping()
            ends = (try range.double("from"), try range.double("to"))
            try range.rejectUnknownKeys()
        } else {
            ends = (try double(key), try double(key))
        }
        guard ends.0 <= ends.1, allowed.contains(ends.0), allowed.contains(ends.1) else {
            throw value.error(
                "`\(key)`: expected \(unit), or from <= to, in \(allowed.lowerBound)…\(allowed.upperBound)")
        }
        return ends.0...ends.1
    }

    /// A share, 0…1; `fallback` when the key is absent.
    package func share(_ key: String, default fallback: Double = 0) throws -> Double {
        let share = try double(key, default: fallback)
        guard (0...1).contains(share) else { throw error("`\(key)`: expected 0…1, found \(share)") }
        return share
    }
}
