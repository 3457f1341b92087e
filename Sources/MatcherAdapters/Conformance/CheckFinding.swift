/// What one check of an adapter found.
package struct CheckFinding: Sendable, Hashable {
    /// How a check ended.
    package enum Verdict: String, Sendable {
        /// As it must be, or nothing to be checked.
        case pass
        /// Allowed, and worth knowing.
        case warn
        /// Against the contract.
        case fail
    }

    /// How it ended.
    package let verdict: Verdict
    /// What was checked, in a few words.
    package let check: String
    /// What was seen.
    package let seen: String
    /// What was expected; empty where that is plain.
    package let expected: String

    init(_ verdict: Verdict, _ check: String, _ seen: String, expected: String = "") {
        self.verdict = verdict
        self.check = check
        self.seen = seen
        self.expected = expected
    }

    /// The finding in a line.
    package var line: String {
        let padded = check.padding(to: 26)
        return "\(verdict.rawValue)  \(padded)  \(seen)" + (expected.isEmpty ? "" : "; expected \(expected)")
    }
}

extension String {
    /// With blanks behind it up to `length` characters.
    fileprivate func padding(to length: Int) -> String {
        self + String(repeating: " ", count: max(0, length - count))
    }
}
