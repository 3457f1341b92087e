import ArgumentParser

/// The root of the command line: configuration only.
@main
struct Earshot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "earshot",
        abstract: "Measures audio fingerprint matchers, and is one.",
        discussion:
            "Exit codes: 0 pass, 1 error, 2 regression, 3 inconclusive, 4 improvement to record, 5 baseline missing, 64 usage, 69 a corpus cannot be had here.",
        subcommands: [
            EvaluateCommand.self, MergeCommand.self, ReportCommand.self, CompareCommand.self,
            HistoryCommand.self,
            GateCommand.self, BaselineCommand.self,
            SettingsCommand.self, TuneCommand.self,
            FrontierCommand.self, MinimiseCommand.self, TryCommand.self,
            StreamsCommand.self, GrowthCommand.self, IntrosCommand.self,
            ArenaCommand.self,
            DegradeCommand.self, ExportCommand.self, CorpusCommand.self,
            SignatureCommand.self, CustomCatalogCommand.self, MatchCommand.self, ListenCommand.self,
            LibraryCommand.self,
        ])
}
