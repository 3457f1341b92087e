import ArgumentParser
import Evaluation

/// The options that decide what a run answers: its plan and its matcher.
struct RunOptions: ParsableArguments {
    @OptionGroup var plan: PlanOptions

    @OptionGroup var matcher: MatcherOptions

    /// The options that a run was made with; in old stores the matcher's are missing.
    static func of(_ facts: RunFacts) throws -> RunOptions {
        try parse(words(of: facts.evaluateArguments ?? facts.planArguments))
    }

    /// The words of a line of options that a run keeps.
    static func words(of line: String) throws -> [String] {
        guard let words = ShellWord.words(of: line) else {
            throw ValidationError("the options that the run was made with cannot be read: \(line)")
        }
        return words
    }
}
