// SPDX-License-Identifier: GPL-3.0-or-later
import Degradations

extension AnyDegradation {
    /// The parameters but the seed as texts, in the order of their names.
    var parameterTexts: [(name: String, text: String)] {
        let values = (try? value.values) ?? [:]
        return values.sorted { $0.key < $1.key }.compactMap { name, value in
            guard name != Parameter.seed.name, let text = value.text else { return nil }
            return (name, text)
        }
    }
}

extension PlainValue {
    fileprivate var text: String? {
        switch self {
        case .bool(let value): value ? "1" : "0"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): value
        case .null, .array, .object: nil
        }
    }
}
