extension DecodingError {
    /// The place and the reason, for example "`answers[0].offsetSeconds` is no number".
    package var place: String {
        func words(_ path: [any CodingKey]) -> String {
            let words = path.reduce(into: "") { text, key in
                text += key.intValue.map { "[\($0)]" } ?? (text.isEmpty ? "" : ".") + key.stringValue
            }
            return words.isEmpty ? "this" : "`\(words)`"
        }
        switch self {
        case .keyNotFound(let key, let context): return "\(words(context.codingPath + [key])) is missing"
        case .typeMismatch(let type, let context):
            return "\(words(context.codingPath)) is no \(Self.name(of: type))"
        case .valueNotFound(let type, let context):
            return "\(words(context.codingPath)) is null; expected a \(Self.name(of: type))"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty
                ? "this is no JSON object" : "\(words(context.codingPath)) cannot be read"
        @unknown default: return "it cannot be read"
        }
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is any BinaryFloatingPoint.Type: "number"
        case is any BinaryInteger.Type: "whole number"
        case is Bool.Type: "truth value"
        case is [Any].Type: "list"
        default: "object"
        }
    }
}
