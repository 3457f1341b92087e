import ArgumentParser
import MatcherAdapters

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract:
            "Print a matcher's settings that can be chosen: name, standard value, range, scale",
        discussion: "The columns are aligned on a terminal and separated by tabs elsewhere."
    )

    @OptionGroup var choice: BuiltInOptions
    @OptionGroup var form: TableOptions
    @Option(help: .hidden)
    var matcherCommand: String?

    func validate() throws {
        try reject(
            if: matcherCommand != nil, "A program states no settings to choose from. Remove --matcher-command"
        )
    }

    func run() throws {
        let contestant = try choice.request.contestant()
        let rows = contestant.tunables.map { tunable in
            let value = contestant.chosen[tunable.name] ?? tunable.standard
            // A number that was made from a `Float` is written as that is.
            let text = Double(Float(value)) == value ? "\(Float(value))" : "\(value)"
            return [
                tunable.name, text, "\(tunable.lowest)", "\(tunable.highest)",
                tunable.scale.rawValue, tunable.summary,
            ]
        }
        try form.print(
            ["name", "value", "lowest", "highest", "scale", "meaning"], rows, flushRight: [1, 2, 3])
    }
}
