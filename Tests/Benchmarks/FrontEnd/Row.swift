import Foundation

/// One figure of the benchmark; only `ratio` may be compared between machines.
struct Row: Codable {
    let name: String
    /// The CPU time, in `unit`.
    let cost: Double
    let unit: String
    /// `cost` relative to that of the row called `relativeTo`, from the same run.
    var ratio: Double?
    var relativeTo: String?
}

/// All rows of a run.
struct Results: Codable {
    var rows: [Row] = []

    /// The rows as JSON.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// The rows as a table.
    func table() -> String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { row in
            let name = row.name.padding(toLength: width, withPad: " ", startingAt: 0)
            let cost = String(format: "%10.3f ", row.cost) + row.unit
            guard let ratio = row.ratio, let other = row.relativeTo else { return "\(name) \(cost)" }
            return "\(name) \(cost)   \(String(format: "%.3f", ratio)) x \(other)"
        }.joined(separator: "\n")
    }
}
