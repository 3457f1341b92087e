import ArgumentParser

/// Measures how streams are recognised: how soon, where, how often wrongly, and at what cost.
@main
struct StreamBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream-benchmark", abstract: "Measure how streams are recognised.",
        subcommands: [AnswersCommand.self, NegativesCommand.self])
}
