package struct CheckFinding: Sendable, Hashable {
    package enum Verdict: String, Sendable {
        case pass
        case warn
        case fail
    }

    package let verdict: Verdict
    package let check: String
    package let seen: String
    package let expected: String

    init(_ verdict: Verdict, _ check: String, _ seen: String, expected: String = "") {
        self.verdict = verdict
        self.check = check
        self.seen = seen
        self.expected = expected
    }

    package var line: String {
        let padded = check + String(repeating: " ", count: max(0, 26 - check.count))
        return "\(verdict.rawValue)  \(padded)  \(seen)" + (expected.isEmpty ? "" : "; expected \(expected)")
    }
}
