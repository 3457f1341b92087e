import ArgumentParser
import Corpora
import Evaluation

/// The options that take recorded queries in place of a plan's.
struct RecordedOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take the queries of this list as they are, in place of a plan's.",
            discussion: """
                A table of truth with the columns query and reference, a MIREX list of two names a line, or \
                annotations.csv or matches.csv of Pexeso's toolkit. Needs --references.
                """,
            valueName: "list"))
    var queries: String?

    @Option(help: ArgumentHelp("Enrol the recordings in this folder for --queries.", valueName: "folder"))
    var references: String?

    @Option(help: "Enrol only the recordings that this file names, one a line.")
    var referenceList: String?

    @Option(help: "Where the files of --queries are; by default where the list is.")
    var queryFolder: String?

    func validate() throws {
        guard (queries == nil) == (references == nil) else {
            throw ValidationError("--queries and --references belong together")
        }
        if queries == nil, referenceList != nil || queryFolder != nil {
            throw ValidationError("--reference-list and --query-folder belong to --queries")
        }
    }

    var recorded: RunRequest.Recorded? {
        guard let queries, let references else { return nil }
        return .init(
            list: queries, references: references, referenceList: referenceList, queryFolder: queryFolder)
    }

    /// Throws where queries must be cut and degraded, which recorded ones cannot be.
    func refuse(by command: String) throws {
        if queries != nil {
            throw ValidationError("\(command) makes queries itself; --queries belongs to evaluate")
        }
    }
}
