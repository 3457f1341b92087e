import ArgumentParser
import MatcherAdapters

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract:
            "Print a matcher's settings that can be chosen: name, standard value, range, scale; tab-separated"
    )

    @OptionGroup var choice: MatcherOptions

    func run() throws {
        let contestant = try choice.request.contestant()
        try StandardOutput.print("name\tvalue\tlowest\thighest\tscale\tmeaning")
        for tunable in contestant.tunables {
            let value = contestant.chosen[tunable.name] ?? tunable.standard
            // A number that was made from a `Float` is written as that is.
            let text = Double(Float(value)) == value ? "\(Float(value))" : "\(value)"
            let columns = [
                tunable.name, text, "\(tunable.lowest)", "\(tunable.highest)",
                tunable.scale.rawValue, tunable.summary,
            ]
            try StandardOutput.print(columns.joined(separator: "\t"))
        }
    }
}
