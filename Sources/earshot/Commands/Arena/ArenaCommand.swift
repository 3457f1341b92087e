import ArgumentParser

/// `earshot arena`: matchers that are programs of their own, checked and set against each other.
struct ArenaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "arena",
        abstract: "Check programs that match, and set matchers against each other over the same trials.",
        subcommands: [ArenaRunCommand.self, ArenaCheckCommand.self])
}
