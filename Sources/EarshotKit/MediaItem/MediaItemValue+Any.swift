import Fingerprinting

/// Conversion between stored values and Swift values.
extension MediaItem.Value {
    /// Converts a Swift value; nil if it cannot be stored.
    ///
    /// It accepts the types that ``SHMediaItem`` lists, and Foundation's classes of them. Collections nest at
    /// most `deepest` levels. Integers become `Int`; those beyond its range are invalid. Collections omit
    /// invalid values.
    package init?(_ value: Any, deepest: Int = MediaItem.maxValueDepth) {
        guard let kept = Self.simple(value) ?? Self.range(value) ?? Self.collection(value, deepest) else {
            return nil
        }
        self = kept
    }

    /// The first key, in order, whose value holds one of a type that cannot be stored, and that type.
    ///
    /// An empty optional is no value.
    static func firstUnsupported(in entries: [String: Any]) -> (key: String, type: String)? {
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            if let type = unsupported(value) { return (key, type) }
        }
        return nil
    }

    private static func unsupported(_ value: Any) -> String? {
        guard simple(value) == nil, range(value) == nil else { return nil }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional, mirror.children.isEmpty { return nil }
        if let values = value as? [Any] { return values.lazy.compactMap(unsupported).first }
        if let entries = value as? [String: Any] { return firstUnsupported(in: entries)?.type }
        return "\(type(of: value))"
    }

    private static func simple(_ value: Any) -> Self? {
        // An `NSNumber` would match several of the cases below.
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber { return Self.number(number) }
        return switch value {
        case let text as String: .string(text)
        case let flag as Bool: .bool(flag)
        case let number as Double: .number(number)
        case let number as Float: .single(number)
        case let number as CGFloat: .number(Double(number))
        case let number as any BinaryInteger: Int64(exactly: number).map { .integer($0) }
        case let url as URL: .url(url.absoluteString)
        case let date as Date: .instant(date.timeIntervalSinceReferenceDate)
        case let data as Data: .data([UInt8](data))
        default: nil
        }
    }

    private static func number(_ number: NSNumber) -> Self? {
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "c")), CChar(UInt8(ascii: "B")): .bool(number.boolValue)
        case CChar(UInt8(ascii: "f")): .single(number.floatValue)
        case CChar(UInt8(ascii: "d")): .number(number.doubleValue)
        default: (number as? Int64).map { .integer($0) }
        }
    }

    private static func range(_ value: Any) -> Self? {
        switch value {
        case let range as Range<Double>: .range(range.lowerBound, range.upperBound)
        case let range as Range<Float>: .singleRange(range.lowerBound, range.upperBound)
        case let range as Range<Int>: .integerRange(Int64(range.lowerBound), Int64(range.upperBound))
        default: nil
        }
    }

    private static func collection(_ value: Any, _ deepest: Int) -> Self? {
        guard deepest > 0 else { return nil }
        if let values = value as? [Any] {
            return .list(values.compactMap { Self($0, deepest: deepest - 1) })
        }
        guard let entries = value as? [String: Any] else { return nil }
        return .dictionary(MediaItem.properties(entries, deepest: deepest - 1))
    }

    /// The Swift value; text if `URL` does not accept an address.
    package var plain: Any {
        switch self {
        case .string(let text): text
        case .integer(let number): Int(number)
        case .number(let number): number
        case .bool(let flag): flag
        case .date(let seconds): Date(timeIntervalSince1970: seconds)
        case .data(let bytes): Data(bytes)
        case .list(let values): values.map(\.plain)
        case .single(let number): number
        case .url(let text): URL(string: text) ?? text
        case .dictionary(let entries):
            Dictionary(entries.map { ($0.key, $0.value.plain) }, uniquingKeysWith: { first, _ in first })
        case .range(let lower, let upper): lower..<upper
        case .singleRange(let lower, let upper): lower..<upper
        case .integerRange(let lower, let upper): Int(lower)..<Int(upper)
        case .instant(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        }
    }

    var doubleRange: Range<Double>? {
        switch self {
        case .range(let lower, let upper): lower..<upper
        case .singleRange(let lower, let upper): Double(lower)..<Double(upper)
        case .integerRange(let lower, let upper): Double(lower)..<Double(upper)
        default: nil
        }
    }

    var floatRange: Range<Float>? {
        switch self {
        case .range(let lower, let upper): Float(lower)..<Float(upper)
        case .singleRange(let lower, let upper): lower..<upper
        case .integerRange(let lower, let upper): Float(lower)..<Float(upper)
        default: nil
        }
    }

    /// The values of a list; for any other value, the value itself.
    var elements: [Self] {
        if case .list(let values) = self { return values }
        return [self]
    }
}

extension MediaItem {
    /// The nesting limit of values; references store items two levels down.
    package static let maxValueDepth = mostDepth - 2

    static func properties(_ entries: [String: Any], deepest: Int = maxValueDepth) -> [Property] {
        entries.filter { $0.key.utf8.count <= mostKeys }
            .compactMap { key, value in Value(value, deepest: deepest).map { Property(key, $0) } }
            .sorted { $0.key < $1.key }
    }
}
