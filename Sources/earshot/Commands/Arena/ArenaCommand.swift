import ArgumentParser

struct ArenaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "arena",
        abstract: "Check programs that match, and set matchers against each other over the same trials",
        subcommands: [ArenaRunCommand.self, ArenaCheckCommand.self])
}
