import Foundation

/// Colours of text on standard output: none in a pipe, on a plain terminal, or with NO_COLOR.
enum Ink: String {
    case bold = "1"
    case red = "31"
    case green = "32"
    case yellow = "33"

    private static let isUsed: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return StandardOutput.isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
            && environment["TERM"] != "dumb"
    }()

    func callAsFunction(_ text: String) -> String {
        Self.isUsed && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
