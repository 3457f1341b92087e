/// A degradation of any kind, coded as a mapping from its name to its parameters.
///
/// For example `{"noise": {"colour": "pink", "snrDecibels": 0, "seed": 123}}`.
package struct AnyDegradation: Codable, Sendable {
    package let value: any Degradation

    package var name: String { type(of: value).name }

    package init(_ value: any Degradation) { self.value = value }

    /// The kind with this name.
    ///
    /// - Throws: ``DegradationError`` that lists all names.
    package static func kind(named name: String) throws -> any Degradation.Type {
        if let kind = kinds.first(where: { $0.name == name }) { return kind }
        throw DegradationError.invalid(
            "no degradation is called \"\(name)\"; there are \(kinds.map { $0.name }.joined(separator: ", "))"
        )
    }

    package init(from decoder: any Decoder) throws {
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

    package func encode(to encoder: any Encoder) throws {
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
    package static func == (a: AnyDegradation, b: AnyDegradation) -> Bool {
        AnyHashable(a.value) == AnyHashable(b.value)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(AnyHashable(value))
    }
}
