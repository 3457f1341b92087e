import ArgumentParser
import MatcherAdapters
import Matchers

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract:
            "Print a matcher's settings that can be chosen: name, standard value, range, scale",
        discussion: "The columns are aligned on a terminal and separated by tabs elsewhere."
    )

    @OptionGroup var choice: MatcherOptions
    @OptionGroup var form: TableOptions

    func run() throws {
        let contestant = try choice.request().contestant(knowingSettings: true)
        let rows = contestant.tunables.map { tunable in
            let value = contestant.chosen[tunable.name] ?? tunable.standard
            let range =
                tunable.choices.map { [$0.joined(separator: ","), "", "choice"] }
                ?? ["\(tunable.lowest)", "\(tunable.highest)", tunable.scale.rawValue]
            return [tunable.name, Self.text(value, of: tunable)] + range + [tunable.summary]
        }
        try form.print(
            ["name", "value", "lowest", "highest", "scale", "meaning"], rows, flushRight: [1, 2, 3])
    }

    private static func text(_ value: Double, of tunable: TunableSetting) -> String {
        guard tunable.choices == nil else { return tunable.text(of: value) }
        // A number that was made from a `Float` is written as that is.
        return Double(Float(value)) == value ? "\(Float(value))" : "\(value)"
    }
}
