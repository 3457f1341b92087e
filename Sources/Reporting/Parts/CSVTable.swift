import Metrics
import SystemIO

/// What the fields of a column are.
enum ColumnType: String, Encodable, Sendable { case text, flag, integer, number }

/// A table as comma-separated values after RFC 4180, in UTF-8.
///
/// Lines end with CR LF. A field with a comma, a quote or a line break is quoted. A missing value is an empty field.
struct CSVTable<Row> {
    struct Column {
        let name: String
        let type: ColumnType
        /// `s`, `ms`, `Hz`, `dB`, `bits`, `fraction`, `count`, `score` (the matcher's own unit), `flag` or `text`.
        let unit: String
        /// Empty where no article lists the column.
        let meaning: String
        let field: (Row) -> String

        private init(
            _ name: String, _ type: ColumnType, unit: String? = nil, _ meaning: String,
            _ field: @escaping (Row) -> String?
        ) {
            self.name = name
            self.type = type
            self.unit = unit ?? type.rawValue
            self.meaning = meaning
            self.field = { field($0) ?? "" }
        }

        /// Text for people: where a spreadsheet would take it for a formula, an apostrophe stands before it.
        init(_ name: String, _ meaning: String = "", text field: @escaping (Row) -> String?) {
            self.init(name, .text, meaning) { row in
                field(row).map { CSVField.isFormula($0) ? "'" + $0 : $0 }
            }
        }

        /// Text that programs read back.
        init(_ name: String, _ meaning: String = "", exactText field: @escaping (Row) -> String?) {
            self.init(name, .text, meaning, field)
        }

        init(
            _ name: String, _ meaning: String = "", unit: String = "count",
            count field: @escaping (Row) -> Int?
        ) {
            self.init(name, .integer, unit: unit, meaning) { row in field(row).map { String($0) } }
        }

        /// Numbers have a point and the fewest digits that read back as the same Double.
        ///
        /// - Parameter digits: The digits after the point instead, for what is measured no better.
        init(
            _ name: String, _ meaning: String = "", unit: String = "", digits: Int? = nil,
            number field: @escaping (Row) -> Double?
        ) {
            self.init(name, .number, unit: unit, meaning) { row in
                // A sum with 0 has no negative zero.
                field(row).map { value in digits.map { formatNumber(value, digits: $0) } ?? "\(value + 0)" }
            }
        }

        init(_ name: String, _ meaning: String = "", flag field: @escaping (Row) -> Bool?) {
            self.init(name, .flag, meaning) { row in field(row).map { $0 ? "true" : "false" } }
        }
    }

    let columns: [Column]

    init(_ columns: [Column]) { self.columns = columns }

    func text(_ rows: some Sequence<Row>) -> String {
        var text = line(columns.map(\.name))
        for row in rows { text += line(columns.map { $0.field(row) }) }
        return text
    }

    private func line(_ fields: [String]) -> String {
        fields.map(Self.quoted).joined(separator: ",") + "\r\n"
    }

    private static func quoted(_ field: String) -> String {
        // By scalars: CR LF is one Character, and a combining mark joins the character before it.
        let mustBeQuoted = field.unicodeScalars.contains { "\",\r\n".unicodeScalars.contains($0) }
        return mustBeQuoted ? CSVField.quoted(field) : field
    }
}

extension CSVTable.Column {
    /// The columns of a proportion: its name with each suffix that is given.
    static func share(
        _ name: String, count: String? = nil, of: String? = nil, rate: String? = "",
        ends: (lower: String, upper: String) = ("Lower", "Upper"),
        meanings: (count: String, of: String, rate: String) = ("", "", ""),
        _ value: @escaping (Row) -> Proportion
    ) -> [Self] {
        var columns: [Self] = []
        if let count { columns.append(Self(name + count, meanings.count, count: { value($0).successes })) }
        if let of { columns.append(Self(name + of, meanings.of, count: { value($0).trials })) }
        if let rate {
            columns.append(Self(name + rate, meanings.rate, unit: "fraction", number: { value($0).rate }))
        }
        return columns
            + interval(lower: name + ends.lower, upper: name + ends.upper) { value($0).wilsonInterval() }
    }

    /// The ends of a 95 % interval.
    ///
    /// - Parameters:
    ///   - unit: that of the ends.
    ///   - kind: more about the interval.
    static func interval(
        lower: String, upper: String, unit: String = "fraction", kind: String = "",
        _ interval: @escaping (Row) -> Interval?
    ) -> [Self] {
        [
            Self(
                lower, "lower end of its 95 % interval\(kind)", unit: unit,
                number: { interval($0)?.lower }),
            Self(upper, "upper end of the same", unit: unit, number: { interval($0)?.upper }),
        ]
    }
}
