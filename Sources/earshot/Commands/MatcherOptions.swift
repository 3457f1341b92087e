import ArgumentParser
import Evaluation
import MatcherAdapters

/// The options that choose a matcher and its settings.
struct MatcherOptions: ParsableArguments {
    @Option(help: "Who is measured: \(Contestants.all.map(\.name).joined(separator: ", ")).")
    var matcher = "earshot"

    @Option(
        name: .customLong("set"),
        help:
            "Another value for a setting of the matcher, as name=value; may be repeated. `earshot settings` lists them."
    )
    var settings: [SettingChoice] = []

    func validate() throws {
        if Contestants.named(matcher) == nil {
            throw ValidationError("there is no matcher called '\(matcher)'")
        }
    }

    /// The matcher with its settings.
    func contestant() throws -> Contestant {
        guard let contestant = Contestants.named(matcher) else {
            throw ValidationError("there is no matcher called '\(matcher)'")
        }
        return try contestant.choosing(
            Dictionary(settings.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
    }

    /// The options as one would type them, to choose the same matcher again; empty for the standard one.
    var commandLine: String {
        let name = matcher == "earshot" ? [] : ["--matcher", ShellWord.quoted(matcher)]
        return (name + settings.flatMap { ["--set", "\($0.name)=\($0.value)"] }).joined(separator: " ")
    }
}

/// `name=value`.
struct SettingChoice: ExpressibleByArgument {
    let name: String
    let value: Double

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let value = Double(parts[1]), value.isFinite else { return nil }
        name = String(parts[0])
        self.value = value
    }
}
