/// How a command ends: the only table of exit codes.
package enum ExitStatus: Int32, CaseIterable {
    case pass = 0
    case error = 1
    case fail = 2
    case inconclusive = 3
    case improved = 4
    case noBaseline = 5
    case usage = 64
    case unavailable = 69

    /// That of a search whose limits no settings keep; a gate never ends so.
    package static let unreached = Self.improved

    package var meaning: String {
        switch self {
        case .pass: "pass"
        case .error: "error"
        case .fail: "regression"
        case .inconclusive: "inconclusive"
        case .improved: "improvement to record, or limits that no settings keep"
        case .noBaseline: "no baseline of these queries"
        case .usage: "usage"
        case .unavailable: "a corpus, encoder or tool that this machine lacks"
        }
    }

    /// All codes in a line of help.
    package static var list: String {
        "Exit codes: " + allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: ", ") + "."
    }
}
