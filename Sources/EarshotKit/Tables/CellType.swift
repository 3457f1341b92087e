import Fingerprinting

enum CellType: String, CaseIterable {
    case text, integer, number, float, bool, date, url, data, json
    case genres, timeRanges, frequencySkewRanges, mediaItemID, reference

    /// The types that a header may declare (`KEY:TYPE`).
    static let declarable: [Self] = [.text, .integer, .number, .float, .bool, .date, .url, .data, .json]

    /// The type of a built-in property, also of matched items; nil for any other.
    static func builtIn(_ key: SHMediaItemProperty) -> Self? {
        if [.matchOffset, .frequencySkew, .confidence].contains(key) { return .number }
        return TableColumn.builtIn.first { $0.key == key }?.value
    }

    /// What help says of the cells of built-in properties, in the order of its lines.
    static let help: KeyValuePairs<Self, String> = [
        .text: "text", .url: "addresses", .genres: "Rock; Pop", .bool: "true or false",
        .date: "2022-06-09 or 2022-06-09T10:00:00Z",
        .timeRanges: "14..<31; 1:00..<1:30.5   seconds, m:s or h:m:s",
        .frequencySkewRanges: "0.03..<0.04; -2%..<-1%   fractions or percent",
        .mediaItemID: "the item's identifier, as `export` writes it",
        .reference: "the reference of the row, in a table for several: its identifier or file",
    ]

    /// The type that a non-empty cell looks like.
    init(lookOf cell: String) {
        switch cell {
        case "true", "false": self = .bool
        // Only canonical numbers: 007 remains text.
        case _ where Int64(cell).map { "\($0)" } == cell: self = .integer
        case _ where cell.wholeMatch(of: /-?(0|[1-9]\d*)\.\d+/) != nil: self = .number
        default: self = cell.hasPrefix("{") || cell.hasPrefix("[") ? .json : .text
        }
    }

    /// The type of cells that look like these types: text if they differ in more than the fraction of a number.
    static func common(_ looks: Set<Self>) -> Self {
        if looks == [.integer, .number] { return .number }
        return looks.count == 1 ? looks.first ?? .text : .text
    }

    /// Parses a non-empty cell.
    /// - Throws: `Mistake`, the expected form.
    func value(of cell: String) throws(Mistake) -> MediaItem.Value {
        let trimmed = cell.trimmingCharacters(in: .whitespacesAndNewlines)
        switch self {
        case .text, .reference: return .string(cell)
        case .integer:
            guard let number = Int64(trimmed) else { throw Mistake("a whole number") }
            return .integer(number)
        case .number:
            guard let number = Double(trimmed) else { throw Mistake("a number") }
            return .number(number)
        case .float:
            guard let number = Float(trimmed) else { throw Mistake("a number") }
            return .single(number)
        case .bool:
            switch trimmed.lowercased() {
            case "true": return .bool(true)
            case "false": return .bool(false)
            default: throw Mistake("true or false")
            }
        case .date:
            guard let date = DateCell.date(of: trimmed) else {
                throw Mistake("a date such as 2022-06-09 or 2022-06-09T10:00:00Z")
            }
            return .instant(date.timeIntervalSinceReferenceDate)
        case .url:
            guard let url = URL(string: trimmed) else {
                throw Mistake("an address such as https://example.org")
            }
            return .url(url.absoluteString)
        case .data:
            guard let data = Data(base64Encoded: trimmed) else { throw Mistake("bytes in base 64") }
            return .data([UInt8](data))
        case .json: return try JSONCell.value(of: trimmed)
        case .genres: return .list(RangeCell.parts(of: cell).map { .string($0.text) })
        case .timeRanges:
            return .list(try RangeCell.ranges(of: cell, bound: RangeCell.seconds).map { .range($0, $1) })
        case .frequencySkewRanges:
            return .list(
                try RangeCell.ranges(of: cell, bound: RangeCell.fraction).map { .singleRange($0, $1) })
        case .mediaItemID:
            guard let id = UUID(uuidString: trimmed) else {
                throw Mistake("an identifier such as 0C1F5BD1-3D25-5E0B-9C3B-6E4B5A2F7D10")
            }
            return .string(id.uuidString)
        }
    }

    /// The cell that parses as `value`; nil if this type has none.
    func cell(of value: MediaItem.Value) -> String? {
        let text: String? =
            switch (self, value) {
            case (.text, .string(let text)), (.mediaItemID, .string(let text)): text
            case (.integer, .integer(let number)): "\(number)"
            case (.number, .number(let number)): "\(number)"
            case (.float, .single(let number)): "\(number)"
            case (.bool, .bool(let flag)): "\(flag)"
            case (.date, .instant(let seconds)):
                DateCell.text(of: Date(timeIntervalSinceReferenceDate: seconds))
            case (.url, .url(let text)): text
            case (.data, .data(let bytes)): Data(bytes).base64EncodedString()
            case (.genres, .list(let values)):
                Self.list(values) { if case .string(let text) = $0 { text } else { nil } }
            case (.timeRanges, .list(let values)):
                Self.list(values) {
                    if case .range(let lower, let upper) = $0 { "\(lower)..<\(upper)" } else { nil }
                }
            case (.frequencySkewRanges, .list(let values)):
                Self.list(values) {
                    if case .singleRange(let lower, let upper) = $0 { "\(lower)..<\(upper)" } else { nil }
                }
            case (.json, _): JSONCell.text(of: value)
            default: nil
            }
        guard let text, !text.isEmpty else { return nil }
        // A value that does not survive parsing is left to JSON.
        if self == .json { return text }
        guard let back = try? self.value(of: text), back == value else { return nil }
        return text
    }

    private static func list(_ values: [MediaItem.Value], _ text: (MediaItem.Value) -> String?) -> String? {
        let texts = values.compactMap(text)
        return texts.count == values.count ? texts.joined(separator: "; ") : nil
    }

    struct Mistake: Error {
        let expected: String
        /// The wrong part of the cell; nil for all of it.
        let found: String?
        /// The offset of the wrong part in characters.
        let place: Int

        init(_ expected: String, found: String? = nil, at place: Int = 0) {
            self.expected = expected
            self.found = found
            self.place = place
        }
    }
}

package enum DateCell {
    /// Parses `2022-06-09` (midnight UTC) or `2022-06-09T10:00:00.25+02:00`; nil for other text, or a day or time that
    /// there is not.
    package static func date(of text: String) -> Date? {
        let form = /(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?/
        guard let match = text.wholeMatch(of: form) else { return nil }
        let moment = "\(match.1)T\(match.2 ?? "00:00:00")"
        // Foundation takes the 30th of February for the 2nd of March.
        guard let inUTC = try? Date(moment + "Z", strategy: .iso8601),
            inUTC.formatted(.iso8601) == moment + "Z",
            let date = try? Date(moment + (match.4 ?? "Z"), strategy: .iso8601),
            let fraction = Double("0\(match.3 ?? "")")
        else { return nil }
        return date.addingTimeInterval(fraction)
    }

    /// The date rounded to seconds; nil if its year may not have four digits.
    package static func text(of date: Date) -> String? {
        // Keeps the year to four digits and avoids overflow.
        guard abs(date.timeIntervalSinceReferenceDate) < 6e10 else { return nil }
        return date.formatted(.iso8601)
    }
}
