import Degradations

extension YAMLValue {
    package var plainValue: PlainValue {
        switch content {
        case .scalar(let text, _):
            switch scalar {
            case .null?, nil: .null
            case .bool(let value)?: .bool(value)
            case .int(let number)?: .integer(number)
            case .double(let number)?: .number(number)
            case .text?: .string(text)
            }
        case .sequence(let items): .array(items.map(\.plainValue))
        case .mapping(let entries):
            .object(Dictionary(entries.map { ($0.key, $0.value.plainValue) }, uniquingKeysWith: { $1 }))
        }
    }
}
