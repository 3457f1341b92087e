import ArgumentParser
import Evaluation

/// `earshot settings`: what `--set` and `tune` can change.
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract:
            "Print a matcher's settings that can be chosen: name, standard value, range, scale; tab-separated."
    )

    @OptionGroup var choice: MatcherOptions

    func run() throws {
        let contestant = try choice.contestant()
        print("name\tvalue\tlowest\thighest\tscale\tmeaning")
        for tunable in contestant.tunables {
            let value = contestant.chosen[tunable.name] ?? tunable.standard
            print(
                tunable.name, "\(value)", "\(tunable.lowest)", "\(tunable.highest)", tunable.scale.rawValue,
                tunable.summary, separator: "\t")
        }
    }
}
