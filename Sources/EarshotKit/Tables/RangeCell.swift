/// Cells with several parts, `A; B`, and ranges, `14..<31; 1:00..<1:30.5`.
enum RangeCell {
    /// The trimmed parts between semicolons, and their offsets in characters.
    static func parts(of cell: String) -> [(text: String, place: Int)] {
        var parts: [(text: String, place: Int)] = []
        var place = 0
        for part in cell.split(separator: ";", omittingEmptySubsequences: false) {
            let blanks = part.prefix { $0.isWhitespace }.count
            let text = part.trimmingCharacters(in: .whitespacesAndNewlines)
            if !text.isEmpty { parts.append((text, place + blanks)) }
            place += part.count + 1
        }
        return parts
    }

    /// Parses ranges; `bound` parses one end.
    /// - Throws: `CellType.Mistake` if a part is no range or its ends are reversed.
    static func ranges<Bound: Comparable>(
        of cell: String, bound: (String) -> Bound?
    ) throws(CellType.Mistake) -> [(Bound, Bound)] {
        var ranges: [(Bound, Bound)] = []
        for (text, place) in parts(of: cell) {
            guard let mark = text.firstRange(of: "..<"), let lower = bound(String(text[..<mark.lowerBound])),
                let upper = bound(String(text[mark.upperBound...]))
            else { throw CellType.Mistake("a range such as 14..<31", found: text, at: place) }
            guard lower <= upper else {
                throw CellType.Mistake("a range whose end is not before its start", found: text, at: place)
            }
            ranges.append((lower, upper))
        }
        return ranges
    }

    /// Parses seconds, `m:s` or `h:m:s`.
    static func seconds(_ text: String) -> Double? {
        let fields = text.trimmingCharacters(in: .whitespaces).split(
            separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(fields.count), let last = fields.last, let seconds = Double(last),
            !seconds.isNaN
        else { return nil }
        guard fields.count > 1 else { return seconds }
        var minutes = 0
        for (place, field) in fields.dropLast().enumerated() {
            guard field.count < 10, field.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(field),
                place == 0 || number < 60
            else { return nil }
            minutes = minutes * 60 + number
        }
        guard (0..<60).contains(seconds) else { return nil }
        return Double(minutes) * 60 + seconds
    }

    /// Parses a fraction, `0.03`, or a percentage, `3%`.
    static func fraction(_ text: String) -> Float? {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard text.hasSuffix("%") else {
            guard let fraction = Float(text), !fraction.isNaN else { return nil }
            return fraction
        }
        guard let percent = Double(text.dropLast()), !percent.isNaN else { return nil }
        return Float(percent / 100)
    }
}
