import Metrics
import SystemIO

/// What the fields of a column are.
enum ColumnType: String, Encodable, Sendable { case text, flag, integer, number }

/// A table whose columns say each figure once for all its forms: CSV, objects in JSON, and the cells that people read.
///
/// CSV is after RFC 4180, in UTF-8. Lines end with CR LF. A field with a comma, a quote or a line break is quoted. A missing
/// value is an empty field.
struct Table<Row> {
    struct Column {
        /// The name in CSV and JSON; empty if only people read it.
        let name: String
        let type: ColumnType
        /// `s`, `ms`, `Hz`, `dB`, `bits`, `fraction`, `count`, `score` (the matcher's own unit), `flag` or `text`.
        let unit: String
        /// Empty where no article lists the column.
        let meaning: String
        /// The heading for people; nil if only programs read it.
        let head: String?
        let value: (Row) -> JSONObject.Value
        let field: (Row) -> String
        /// For people; the second line of it is a detail.
        let text: (Row) -> String

        private init<Value: Encodable>(
            _ name: String, _ type: ColumnType, unit: String? = nil, _ meaning: String, _ head: String?,
            _ value: @escaping (Row) -> Value?, field: @escaping (Value) -> String,
            text: @escaping (Value) -> String
        ) {
            self.init(
                name: name, type: type, unit: unit ?? type.rawValue, meaning: meaning, head: head,
                value: { row in value(row).map { $0 } },
                field: { value($0).map(field) ?? "" }, text: { NumberText.optional(value($0), text) })
        }

        fileprivate init(
            name: String, type: ColumnType, unit: String, meaning: String, head: String?,
            value: @escaping (Row) -> JSONObject.Value, field: @escaping (Row) -> String,
            text: @escaping (Row) -> String
        ) {
            (self.name, self.type, self.unit, self.meaning, self.head) = (name, type, unit, meaning, head)
            (self.value, self.field, self.text) = (value, field, text)
        }

        /// Text for people only.
        init(_ head: String, for text: @escaping (Row) -> String) {
            self.init("", .text, "", head, text, field: { $0 }, text: { $0 })
        }

        /// Text for people: where a spreadsheet would take it for a formula, an apostrophe stands before it.
        init(_ name: String, _ meaning: String = "", head: String? = nil, text: @escaping (Row) -> String?) {
            self.init(
                name, .text, meaning, head, text, field: CSVField.shown, text: { $0 })
        }

        /// Text that programs read back.
        init(_ name: String, _ meaning: String = "", exactText: @escaping (Row) -> String?) {
            self.init(name, .text, meaning, nil, exactText, field: { $0 }, text: { $0 })
        }

        init(
            _ name: String, _ meaning: String = "", unit: String = "count", head: String? = nil,
            count: @escaping (Row) -> Int?
        ) {
            self.init(
                name, .integer, unit: unit, meaning, head, count, field: { String($0) }, text: { $0.text })
        }

        init(_ name: String, head: String, bytes: @escaping (Row) -> Int?) {
            self.init(
                name, .integer, unit: "count", "", head, bytes, field: { String($0) },
                text: { NumberText.bytes(Double($0)) })
        }

        /// Numbers have a point and the fewest digits that read back as the same Double.
        ///
        /// - Parameters:
        ///   - unit: Nil for that of the name's end, or `fraction`.
        ///   - digits: The digits after the point instead, for what is measured no better.
        ///   - text: The number for people.
        init(
            _ name: String, _ meaning: String = "", unit: String? = nil, digits: Int? = nil,
            head: String? = nil, as text: @escaping (Double) -> String = { NumberText.significant($0) },
            number: @escaping (Row) -> Double?
        ) {
            self.init(
                name, .number, unit: unit ?? ColumnUnit.of(name), meaning, head, number,
                // A sum with 0 has no negative zero.
                field: { value in digits.map { formatNumber(value, digits: $0) } ?? "\(value + 0)" },
                text: text)
        }

        init(_ name: String, _ meaning: String = "", flag: @escaping (Row) -> Bool?) {
            self.init(name, .flag, meaning, nil, flag, field: { "\($0)" }, text: { "\($0)" })
        }
    }

    let columns: [Column]

    init(_ columns: [Column]) { self.columns = columns }

    func csv(_ rows: some Sequence<Row>) -> String { csvHead + csvRows(rows) }

    var csvHead: String { Self.line(named.map(\.name)) }

    func csvRows(_ rows: some Sequence<Row>) -> String {
        rows.map { row in Self.line(named.map { $0.field(row) }) }.joined()
    }

    private static func line(_ fields: [String]) -> String { CSVField.line(fields) + "\r\n" }

    /// A row in JSON.
    func object(_ row: Row) -> JSONObject { JSONObject(named.map { ($0.name, $0.value(row)) }) }

    /// Those of CSV and JSON.
    var named: [Column] { columns.filter { !$0.name.isEmpty } }

    private var shown: [Column] { columns.filter { $0.head != nil } }

    /// The headings for people.
    var heads: [String] { shown.compactMap(\.head) }

    /// A row for people.
    func cells(_ row: Row) -> [String] { shown.map { $0.text(row) } }
}

/// The units of columns that end with the name of a quantity.
private enum ColumnUnit {
    private static let units: KeyValuePairs = [
        "Milliseconds": "ms", "PerSecond": "1/s", "Seconds": "s", "Decibels": "dB", "Hertz": "Hz",
        "Score": "score",
    ]

    static func of(_ name: String) -> String {
        let suffix = name.prefix(1).uppercased() + name.dropFirst()
        return units.first { suffix.hasSuffix($0.key) }?.value ?? "fraction"
    }
}

extension Table.Column {
    /// The column in a table whose rows hold these as a part.
    func map<Whole>(_ part: @escaping (Whole) -> Row) -> Table<Whole>.Column {
        .init(
            name: name, type: type, unit: unit, meaning: meaning, head: head, value: { value(part($0)) },
            field: { field(part($0)) }, text: { text(part($0)) })
    }

    /// The columns of a proportion: its name with each suffix that is given.
    ///
    /// - Parameter heads: The headings of the rate and of its interval.
    static func share(
        _ name: String, count: String? = nil, of: String? = nil, rate: String? = "",
        ends: (lower: String, upper: String) = ("Lower", "Upper"),
        meanings: (count: String, of: String, rate: String) = ("", "", ""), heads: [String] = [],
        _ value: @escaping (Row) -> Proportion
    ) -> [Self] {
        let texts: [(Proportion) -> String] = [\.text, \.range]
        var columns: [Self] = []
        if let count { columns.append(Self(name + count, meanings.count, count: { value($0).successes })) }
        if let of { columns.append(Self(name + of, meanings.of, count: { value($0).trials })) }
        if let rate {
            columns.append(Self(name + rate, meanings.rate, unit: "fraction", number: { value($0).rate }))
        }
        return columns
            + interval(lower: name + ends.lower, upper: name + ends.upper) { value($0).wilsonInterval() }
            + zip(heads, texts).map { head, text in Self(head, for: { text(value($0)) }) }
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
            Self(lower, "lower end of its 95 % interval\(kind)", unit: unit, number: { interval($0)?.lower }),
            Self(upper, "upper end of the same", unit: unit, number: { interval($0)?.upper }),
        ]
    }

    /// Parts of the magnitudes of an error, each with the end of its name.
    static func errors(
        _ name: String, _ parts: KeyValuePairs<String, @Sendable (ErrorSummary) -> Double>,
        _ errors: @escaping (Row) -> ErrorSummary?
    ) -> [Self] { parts.map { part, value in Self(name + part, number: { errors($0).map(value) }) } }
}
