// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Foundation

extension ReportModel: Report {
    /// The figures of the first screen, or of every condition.
    public var summary: String {
        summaryListsConditions ? SummaryTable.text(self) : SummaryTable.brief(self)
    }

    /// CSV and JSON, then the page.
    public func files(charts: ChartLibrary?) -> [ReportFile] {
        trialFiles + RunTable.all.map { table in ReportFile(table.name, table.text(self)) } + [
            ReportFile("columns.json", try SummaryJSON.columns),
            ReportFile("summary.json", try SummaryJSON.text(self)),
            ReportFile("report.html", try page.html(charts: charts)),
        ]
    }

    /// A script for each trial whose detail is not embedded: all that a page opened from disk can load.
    private var trialFiles: [ReportFile] {
        trials.enumerated().compactMap { place, trial in
            let name = trial.record.trial.id
            guard let detail = shown.details[name], !shown.embedded.contains(name) else { return nil }
            return Self.file(place, detail, trial)
        }
    }

    private static func file(_ place: Int, _ detail: TrialDetail, _ trial: JudgedTrial) -> ReportFile {
        ReportFile(
            String(format: "trials/trial-%06d.js", place),
            try "earshotTrial(\(place), " + ScriptJSON.text(TrialDetailData.object(detail, of: trial))
                + ");\n")
    }

    /// Removes details of an earlier report.
    public func removeStaleFiles(in report: String) throws {
        let folder = report + "/trials"
        let names = Set(trialFiles.map(\.name))
        let found = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for file in found
        where file.wholeMatch(of: #/trial-\d+\.js/#) != nil && !names.contains("trials/\(file)") {
            try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
        }
        if !found.isEmpty, names.isEmpty { rmdir(folder) }
    }
}

extension ProvenanceContent {
    init(run facts: RunFacts) {
        let threshold = facts.scoreThreshold.map { "score \(NumberText.plain($0)) or more" }
        let references = facts.referenceCount.text
        self.init(
            facts.provenance,
            more: [
                ("Plan file", facts.planPath),
                ("Operating point", threshold ?? "the matcher's own decision"),
                ("References", "\(references), \(NumberText.seconds(facts.referenceSeconds)) in all"),
                ("Run time", Self.runTime(facts)),
                ("Throughput", StageShares(facts)?.words ?? ""),
                ("Trials in the plan", facts.trialCount.text),
                ("Shard", facts.shard.map { "\($0): \($0.size(of: facts.trialCount).text) trials" } ?? "all"),
            ])
    }

    private static func runTime(_ facts: RunFacts) -> String {
        let jobs = "with \(facts.jobs) at a time"
        guard let parts = facts.mergedFrom, let longest = parts.map(\.longestSeconds).max() else {
            return "\(NumberText.seconds(facts.wallSeconds)) \(jobs)"
        }
        let places = parts.map { part in
            "\(part.machine.processor) with \(part.machine.logicalCores) cores: shards \(numberRanges(part.shards))"
        }
        return
            "\(NumberText.seconds(facts.wallSeconds)) in all shards together, \(NumberText.seconds(longest)) in the "
            + "longest, \(jobs) (\(places.joined(separator: "; ")))"
    }
}
