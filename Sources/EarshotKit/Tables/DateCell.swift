import Foundation

/// Dates of cells, by ISO 8601.
enum DateCell {
    /// The date of a text such as `2022-06-09` (midnight UTC) or `2022-06-09T10:00:00.25+02:00`; nil for another.
    static func date(of text: String) -> Date? {
        let form = /\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?/
        guard let match = text.wholeMatch(of: form) else { return nil }
        if match.1 == nil { return try? Date(text + "T00:00:00Z", strategy: .iso8601) }
        guard let fraction = match.2 else { return try? Date(text, strategy: .iso8601) }
        let whole = text.replacing(fraction, with: "", maxReplacements: 1)
        guard let seconds = Double("0" + fraction), let date = try? Date(whole, strategy: .iso8601) else {
            return nil
        }
        return date.addingTimeInterval(seconds)
    }

    /// The text of a date to the second.
    static func text(of date: Date) -> String? {
        // Years of four digits, and no overflow on the way.
        guard abs(date.timeIntervalSinceReferenceDate) < 6e10 else { return nil }
        return date.formatted(.iso8601)
    }
}
