import ArgumentParser

/// The options that choose the form of answers.
struct AnswerOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable { case text, jsonl }

    @Option(help: "The form of the answers; by default text on a terminal and lines of JSON elsewhere.")
    var format: Format?
    @Flag(help: "The same as --format jsonl.")
    var json = false

    func validate() throws {
        try reject(if: json && format == .text, "--json and --format text exclude each other")
    }

    var isText: Bool { !json && (format ?? (StandardOutput.isTerminal ? .text : .jsonl)) == .text }
}
