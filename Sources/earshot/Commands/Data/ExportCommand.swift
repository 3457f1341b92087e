import ArgumentParser
import Corpora
import Evaluation
import Reporting
import SystemIO

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write truth and answers of a run as MIREX lists, Pexeso tables and a table of truth",
        discussion: """
            truth.csv, mirex-truth.txt and annotations.csv hold the truth. mirex-results.txt and matches.csv hold the \
            answers. `earshot degrade` writes the queries themselves, under the same names.
            """)

    @Argument(help: "The folder of the run.")
    var folder: String
    @OptionGroup var target: FolderOptions

    func run() throws {
        let output = target.output
        let (records, facts) = try RunFolder(existing: folder).onlyRun()
        try FileTree.createFolder(output)
        let tables = QueryTables(records)
        let path = try tables.writeTruth(references: nil, to: output)
        try tables.writeAnswers(threshold: facts.scoreThreshold, to: output)
        if tables.leftOut > 0 {
            StandardError.print(
                "\(tables.leftOut.counting("query is", "queries are")) negative only where the recording is left out; "
                    + "not in any table")
        }
        try StandardOutput.print(path)
    }
}
