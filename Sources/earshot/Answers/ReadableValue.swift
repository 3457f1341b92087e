import EarshotKit
import Fingerprinting
import Foundation

/// A property's value as JSON for reading: without the types that JSON lacks.
///
/// Addresses and dates are texts, bytes are texts in base 64, ranges are lists of both ends. A number that is not finite
/// is null.
struct ReadableValue: Encodable {
    let value: MediaItem.Value

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .string(let text), .url(let text): try container.encode(text)
        case .integer(let number): try container.encode(number)
        case .number(let number): try Self.encode(number, to: &container)
        case .single(let number): try Self.encode(number, to: &container)
        case .bool(let flag): try container.encode(flag)
        case .date(let seconds): try container.encode(Self.text(Date(timeIntervalSince1970: seconds)))
        case .instant(let seconds):
            try container.encode(Self.text(Date(timeIntervalSinceReferenceDate: seconds)))
        case .data(let bytes): try container.encode(Data(bytes).base64EncodedString())
        case .list(let values): try container.encode(values.map(ReadableValue.init))
        case .dictionary(let entries): try container.encode(entries.plain)
        case .range(let lower, let upper):
            try container.encode([lower, upper].map { ReadableValue(value: .number($0)) })
        case .singleRange(let lower, let upper):
            try container.encode([lower, upper].map { ReadableValue(value: .single($0)) })
        case .integerRange(let lower, let upper): try container.encode([lower, upper])
        }
    }

    private static func encode<Number: BinaryFloatingPoint & Encodable>(
        _ number: Number, to container: inout any SingleValueEncodingContainer
    ) throws {
        if number.isFinite { try container.encode(number) } else { try container.encodeNil() }
    }

    private static func text(_ date: Date) -> String {
        DateCell.text(of: date) ?? "\(date.timeIntervalSinceReferenceDate)"
    }
}

extension [MediaItem.Property] {
    fileprivate var plain: [String: ReadableValue] {
        Dictionary(map { ($0.key, ReadableValue(value: $0.value)) }, uniquingKeysWith: { first, _ in first })
    }
}

extension SHMediaItem {
    /// All properties, by their keys.
    var plainProperties: [String: ReadableValue] { stored.properties.plain }
}
