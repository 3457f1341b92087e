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
            let columns = [
                tunable.name, Self.plain(value), "\(tunable.lowest)", "\(tunable.highest)",
                tunable.scale.rawValue, tunable.summary,
            ]
            try StandardOutput.print(columns.joined(separator: "\t"))
        }
    }

    /// A number that was made from a `Float` is written as that is.
    private static func plain(_ value: Double) -> String {
        Double(Float(value)) == value ? "\(Float(value))" : "\(value)"
    }
}
