import ArgumentParser
import AudioCore
import AudioIO
import Corpora
import Evaluation
import Fingerprinting
import Foundation
import SystemIO

struct Earshot: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "earshot",
            abstract: "Recognise recordings, and measure matchers that do",
            discussion: ExitStatus.list,
            // The digest reads the whole program.
            version: CommandLine.arguments.contains("--version") ? Version.text : Version.number,
            groupedSubcommands: [
                CommandGroup(
                    name: "Recognise",
                    subcommands: [
                        SignatureCommand.self, CustomCatalogCommand.self, MatchCommand.self,
                        ListenCommand.self, LibraryCommand.self, ServeCommand.self, StoreCommand.self,
                    ]),
                CommandGroup(
                    name: "Measure",
                    subcommands: [
                        EvaluateCommand.self, MergeCommand.self, ReportCommand.self, ArenaCommand.self,
                        StreamsCommand.self, PassagesCommand.self, GrowthCommand.self, IntrosCommand.self,
                    ]),
                CommandGroup(
                    name: "Investigate",
                    subcommands: [
                        FrontierCommand.self, MinimiseCommand.self, TryCommand.self, SettingsCommand.self,
                        TuneCommand.self, ThresholdCommand.self, EvidenceCommand.self,
                    ]),
                CommandGroup(
                    name: "Compare and gate",
                    subcommands: [
                        GateCommand.self, BaselineCommand.self, CompareCommand.self, HistoryCommand.self,
                    ]),
                CommandGroup(
                    name: "Data",
                    subcommands: [
                        CorpusCommand.self, PlanCommand.self, DegradeCommand.self, RerecordCommand.self,
                        ExportCommand.self, CacheCommand.self,
                    ]),
            ])
    }

    private static func parsed(_ words: CommandWords) async throws -> any ParsableCommand {
        try words.requireCommand()
        do { return try await asyncParseAsRoot(words.words) } catch {
            // An option that is no option explains what else is missing.
            guard exitCode(for: error) == .validationFailure, let unknown = words.unknownOption else {
                throw error
            }
            throw ValidationError(unknown)
        }
    }

    static func main() async {
        do {
            var command = try await parsed(.current)
            if command is any ResumableCommand { Interruption.explain() }
            // Commands without the option read few files. They go without where the kernel cannot confine.
            if (command as? any DecodingCommand)?.decoding.sandbox ?? ProcessStart.canConfine {
                try DecoderSandbox.use(DecoderSandbox())
            }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: Advice.advised(error), as: status(of: error))
        }
    }

    /// What a program can act on without reading the message; nil for other errors.
    private static func status(of error: any Error) -> ExitStatus? {
        switch error {
        case let error as GateError where error.kind == .otherQueries: .noBaseline
        case let error as CorpusError where [.notFetched, .unavailable].contains(error.code): .unavailable
        default: nil
        }
    }

    /// Prints what the error says, which may be help, and exits with its code or the given one.
    private static func end(with error: any Error, as status: ExitStatus?) -> Never {
        let message = shortened(fullMessage(for: error))
        guard !message.isEmpty else { exit(withError: error) }
        guard exitCode(for: error) == .success else {
            StandardError.print(message)
            exit(withError: status.map { ExitCode($0) } ?? exitCode(for: error))
        }
        do { try StandardOutput.print(message) } catch {
            StandardError.print("Error: \(error)")
            exit(withError: ExitCode.failure)
        }
        exit(withError: ExitCode.success)
    }

    /// The message with a usage of what is required in place of the parser's, which has hundreds of characters.
    private static func shortened(_ message: String) -> String {
        let chosen = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init)
        let columns = chosen ?? StandardOutput.columns ?? StandardError.columns
        let words = CommandWords.current
        let usage = words.usage(columns: columns)
        return message.replacing(/(?m)^USAGE: earshot .*$/, with: "USAGE" + usage.dropFirst(5))
            .replacing(/(?m)^Usage: earshot .*\n  See .*$/, with: "\(usage)\n  See '\(words.name) --help'")
    }
}

extension ExitCode {
    init(_ status: ExitStatus) { self.init(status.rawValue) }
}

enum Version {
    static let number = Release.number

    /// Version, engine, digest of the program, and the commit of the sources worked in, which may not be the program's.
    static var text: String {
        let digest = Provenance.currentExecutableDigest?.prefix(12) ?? "unknown"
        return "earshot \(number) (engine \(Settings.engineVersion), executable \(digest), "
            + "commit of the working folder \(Provenance.currentCommit))"
    }
}
