import ArgumentParser
import Corpora
import Evaluation
import Fingerprinting
import MatcherAdapters
import Studies

/// What to do about an error, in terms of commands and options, which libraries do not know.
enum Advice {
    /// The error with advice behind it, where there is some.
    static func text(_ error: any Error) -> String { "\(advised(error))" }

    /// The message of a file; of a file that Swift looked for under another name, the reason.
    static func text(_ message: String) -> String {
        CommandWords.repaired.first { message.contains("\($0): ") || message.contains("\($0)/") }
            .map { "\($0): its name is not UTF-8. Rename it." } ?? message
    }

    static func advised(_ error: any Error) -> any Error {
        let message = text("\(error)")
        if message != "\(error)" { return CommandError(description: message) }
        if let error = error as? OutputAmongRecordings {
            return ValidationError("\(error). Name another place with --output.")
        }
        if let error = error as? CorpusError, error.code == .sealed {
            return ValidationError(
                "\(error). Only `earshot evaluate --exam LEDGER` and `earshot arena run --exam LEDGER` may ask its "
                    + "queries.")
        }
        if let error = error as? MergeError, !error.missing.isEmpty {
            let commands = error.missing.map {
                "  " + CommandText.evaluate($0.request, shard: $0.shard, folder: $0.folder ?? "FOLDER")
            }
            return CommandError(
                description: "\(error)\nRun what is missing:\n" + commands.joined(separator: "\n"))
        }
        return sentence(for: error).map { CommandError(description: "\(error). \($0)") } ?? error
    }

    private static func sentence(for error: any Error) -> String? {
        switch error {
        case let error as StoreError: error.kind.map(sentence)
        case let error as CorpusError: sentence(for: error)
        case let error as ProgramNotNamed:
            "To start it, add --matcher-command \(ShellWord.quoted(error.command))."
        case let error as DegradationsNotNamed:
            "To start it, add --degradation-command \(ShellWord.quoted(error.command))."
        case let error as MeasurementError where error.holdsOther:
            "Name another folder, or measure again with --fresh."
        case let error as FingerprintingError: error.remedy.map(sentence)
        case is ChangedMatcher: "Give --matcher and --set as in the run, or run it again."
        default: nil
        }
    }

    private static func sentence(for remedy: FingerprintingError.Remedy) -> String {
        switch remedy {
        case .replaceReference: "Add --id ID, or --replace."
        case .useLaterRelease: "Update Earshot."
        case .useRelativePaths: "Or add --ids relative-path, where they are in different folders."
        case .remakeCatalog: "Use `earshot custom-catalog create`."
        }
    }

    private static func sentence(for kind: StoreError.Kind) -> String {
        switch kind {
        case .noStore: "Name a folder that `earshot evaluate` wrote."
        case .unfinishedRun: "Finish it with `earshot evaluate`."
        case .unfinishedSearch: "Finish it with `earshot frontier`."
        case .shardOnly: "Put all shards together with `earshot merge` first."
        case .earlierVersion: "Run `earshot evaluate` again into another folder."
        case .otherMatcher: "Name another folder with --output."
        case .staleQuery: "Run again with --no-cache."
        }
    }

    private static func sentence(for error: CorpusError) -> String? {
        switch (error.code, error.corpus) {
        case (.notFetched, let corpus?): "Fetch it with `earshot corpus fetch \(corpus)`."
        case (.notLocked, let corpus?): "Lock it with `earshot corpus lock \(corpus)`."
        case (.notLocked, nil): "Name it with `earshot evaluate --folder`."
        case (.noRecipes, _): "Name one with --corpora or EARSHOT_CORPORA."
        case (.tooLarge, _): "Audit parts of them, or raise --memory-limit-gigabytes."
        default: nil
        }
    }
}
