import Metrics
import SystemIO

/// A table as comma-separated values after RFC 4180, in UTF-8.
///
/// Lines end with CR LF. A field with a comma, a quote or a line break is quoted. A missing value is an empty field.
struct CSVTable<Row> {
    struct Column {
        let name: String
        let field: (Row) -> String

        /// Text for people: where a spreadsheet would take it for a formula, an apostrophe stands before it.
        init(_ name: String, text field: @escaping (Row) -> String?) {
            self.init(name, exactText: { row in field(row).map { CSVField.isFormula($0) ? "'" + $0 : $0 } })
        }

        /// Text that programs read back.
        init(_ name: String, exactText field: @escaping (Row) -> String?) {
            self.name = name
            self.field = { field($0) ?? "" }
        }

        init(_ name: String, count field: @escaping (Row) -> Int?) {
            self.name = name
            self.field = { row in field(row).map { String($0) } ?? "" }
        }

        /// Numbers have a point and the fewest digits that read back as the same Double.
        init(_ name: String, number field: @escaping (Row) -> Double?) {
            self.name = name
            self.field = { row in field(row).map { "\($0)" } ?? "" }
        }

        init(_ name: String, flag field: @escaping (Row) -> Bool?) {
            self.name = name
            self.field = { row in field(row).map { $0 ? "true" : "false" } ?? "" }
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
        ends: (lower: String, upper: String) = ("Lower", "Upper"), _ value: @escaping (Row) -> Proportion
    ) -> [Self] {
        var columns: [Self] = []
        if let count { columns.append(Self(name + count, count: { value($0).successes })) }
        if let of { columns.append(Self(name + of, count: { value($0).trials })) }
        if let rate { columns.append(Self(name + rate, number: { value($0).rate })) }
        return columns + [
            Self(name + ends.lower, number: { value($0).wilsonInterval()?.lower }),
            Self(name + ends.upper, number: { value($0).wilsonInterval()?.upper }),
        ]
    }
}
