import AudioCore

/// A degradation of any kind, coded as a mapping from its name to its parameters.
///
/// For example `{"noise": {"colour": "pink", "snrDecibels": 0, "seed": 123}}`.
public struct AnyDegradation: Codable, Sendable {
    /// The degradation.
    public let value: any Degradation

    /// The name of the kind.
    public var name: String { type(of: value).name }

    /// Wraps `value`.
    public init(_ value: any Degradation) { self.value = value }

    /// The kind with this name.
    ///
    /// - Throws: ``DegradationError`` that lists all names.
    public static func kind(named name: String) throws -> any Degradation.Type {
        if let kind = kinds.first(where: { $0.name == name }) { return kind }
        throw DegradationError(
            .invalidParameter,
            "no degradation is called \"\(name)\"; there are \(kinds.map { $0.name }.joined(separator: ", "))"
        )
    }

    /// Decodes a mapping with one entry and checks its parameters.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "expected one degradation, its name and its parameters"))
        }
        func decode<Kind: Degradation>(_ kind: Kind.Type) throws -> any Degradation {
            try container.decode(kind, forKey: key)
        }
        value = try decode(Self.kind(named: key.stringValue))
        try value.validate()
    }

    /// Encodes a mapping with one entry.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(value, forKey: Name(stringValue: name))
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension AnyDegradation: Hashable {
    /// Whether both are of one kind with equal parameters.
    public static func == (a: AnyDegradation, b: AnyDegradation) -> Bool {
        AnyHashable(a.value) == AnyHashable(b.value)
    }

    /// Hashes the name and the parameters.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(AnyHashable(value))
    }
}
