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

    /// Why a value cannot be stored whole, as the end of a sentence about its property; nil if it can.
    ///
    /// An empty optional is no value.
    static func fault(of value: Any, deepest: Int = MediaItem.maxValueDepth) -> String? {
        guard simple(value) == nil, range(value) == nil else { return nil }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional, mirror.children.isEmpty { return nil }
        if value is any BinaryInteger { return "is \(value), which is beyond the range of Int" }
        let entries = value as? [String: Any]
        guard let values = value as? [Any] ?? entries.map({ Array($0.values) }) else {
            return "is of the type \(type(of: value)), which cannot be stored"
        }
        guard deepest > 0 else { return "nests collections more than \(MediaItem.maxValueDepth) levels deep" }
        if let entries, entries.keys.contains(where: { $0.utf8.count > MediaItem.mostKeys }) {
            return "holds a key of more than \(MediaItem.mostKeys) bytes"
        }
        // A lazy map would call itself several times at each level.
        for value in values {
            if let fault = fault(of: value, deepest: deepest - 1) { return fault }
        }
        return nil
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
    ///
    /// Numbers and truth values are `NSNumber`, so that `as?` casts them to any type that holds them exactly.
    package var plain: Any {
        switch self {
        case .string(let text): text
        case .integer(let number): NSNumber(value: number)
        case .number(let number): NSNumber(value: number)
        case .bool(let flag): NSNumber(value: flag)
        case .date(let seconds): Date(timeIntervalSince1970: seconds)
        case .data(let bytes): Data(bytes)
        case .list(let values): values.map(\.plain)
        case .single(let number): NSNumber(value: number)
        case .url(let text): URL(string: text) ?? text
        case .dictionary(let entries):
            Dictionary(entries.map { ($0.key, $0.value.plain) }, uniquingKeysWith: { first, _ in first })
        case .range(let lower, let upper): lower..<upper
        case .singleRange(let lower, let upper): lower..<upper
        case .integerRange(let lower, let upper): Int(lower)..<Int(upper)
        case .instant(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        }
    }

    /// The range of numbers, in the type that is asked for.
    func range<Bound: BinaryFloatingPoint>() -> Range<Bound>? {
        switch self {
        case .range(let lower, let upper): Bound(lower)..<Bound(upper)
        case .singleRange(let lower, let upper): Bound(lower)..<Bound(upper)
        case .integerRange(let lower, let upper): Bound(lower)..<Bound(upper)
        default: nil
        }
    }

    /// The ranges of numbers among the elements.
    func ranges<Bound: BinaryFloatingPoint>() -> [Range<Bound>] { elements.compactMap { $0.range() } }

    /// The values of a list; for any other value, the value itself.
    var elements: [Self] {
        if case .list(let values) = self { return values }
        return [self]
    }
}

extension MediaItem {
    /// The nesting limit of values; references store items two levels down.
    package static let maxValueDepth = mostDepth - 2

    /// Why properties cannot be stored whole, as a sentence; nil if they can.
    static func fault(of entries: [String: Any]) -> String? {
        guard entries.count <= mostKeys else {
            return "a media item has \(entries.count) properties, the limit is \(mostKeys)"
        }
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            let fault =
                key.utf8.count > mostKeys
                ? "has a key of \(key.utf8.count) bytes, the limit is \(mostKeys)" : Value.fault(of: value)
            if let fault { return "the property \"\(key.prefix(80))\" of a media item \(fault)" }
            guard let kept = Value(value), !Self.accepts(kept, forKey: key) else { continue }
            return
                "the property \"\(key)\" of a media item is of the type \(type(of: value)), where ranges of"
                + " numbers are expected"
        }
        return nil
    }

    /// Whether a built-in property of ranges has nothing else.
    static func accepts(_ value: Value, forKey key: String) -> Bool {
        let ranges: [SHMediaItemProperty] = [.timeRanges, .frequencySkewRanges]
        return !ranges.contains(SHMediaItemProperty(key))
            || value.elements.allSatisfy { ($0.range() as Range<Double>?) != nil }
    }

    static func properties(_ entries: [String: Any], deepest: Int = maxValueDepth) -> [Property] {
        entries.filter { $0.key.utf8.count <= mostKeys }
            .compactMap { key, value in Value(value, deepest: deepest).map { Property(key, $0) } }
            .sorted { $0.key < $1.key }
    }
}
