import ArgumentParser
import Reporting

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Draw the figures of many runs of the same trials, and find where they change",
        discussion: """
            Reads only the summary.json of each run, so it is enough to keep those. Runs of other trials or of another \
            matcher have sections of their own.
            """)

    @Argument(
        help: "Runs: summary.json files, folders of runs, or folders that hold folders of runs.",
        completion: .file())
    var paths: [String]
    @Option(name: .shortAndLong, help: "The folder for history.html and history.csv.", completion: .directory)
    var output = "Reports/runs/history"
    @Option(
        help: "Write a site instead: an index, the page of each run that has one, and JSON.",
        completion: .directory)
    var site: String?

    func validate() throws { try exclude("--site", "--output") }

    func run() throws {
        if let site { try HistorySite.requireSite(site) }
        let files = try paths.flatMap(HistoryRun.paths(under:))
        let runs = try Array(Set(files)).sorted().map(HistoryRun.init(path:))
        if let site { return try HistorySite(runs).publish(to: site) }
        try HistoryReport(runs).publish(to: output)
    }
}
