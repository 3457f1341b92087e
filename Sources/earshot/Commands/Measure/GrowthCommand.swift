import ArgumentParser
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import Studies
import SystemIO

struct GrowthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract: "Put the same queries to catalogs of growing size: recall, wrong answers, time, memory",
        discussion: """
            A catalog holds real references as far as there are, then synthetic ones drawn from their peaks. Positives \
            are cut from what the smallest catalog holds, so that each size is asked the same. Results are written \
            after each size. 1000 h take 1.4 GB of memory. For example
              earshot growth --plan conditions --positives 10 --negatives 10 --hours 5 15 100 1000
            The last line on standard output is the report's path.
            """)

    @OptionGroup var options: PlanOptions
    @OptionGroup var choice: MatcherOptions
    @Option(parsing: .upToNextOption, help: "The sizes of catalog, in hours.")
    var hours: [Double] = [5, 15, 100, 1000]
    @Option(help: "The number of threads; only times depend on it.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount
    @Option(help: "The folder for the results; by default one under Reports/runs.")
    var output: String?
    @OptionGroup var caching: CacheOptions
    @Flag(help: "Forget what an earlier run of the same study stored in the folder.")
    var fresh = false

    func validate() throws {
        try options.recorded.refuse(by: "growth")
        try requireJobs(jobs)
        for size in hours { try require("--hours", size, atMost: 100_000) }
    }

    func run() throws {
        let request = options.request(choice.request)
        let cache = try caching.open(in: .standard(options.corpora))
        let opened = try request.open()
        let plan = opened.plan
        let contestant = try request.matcher.contestant()
        let folder = try plan.corpus.resultFolder(
            output, "growth", plan.file.name, plan.corpus.name, contestant.name, "\(plan.digest.prefix(8))")
        let study = try GrowthStudy(
            plan: plan, material: opened.material, contestant: contestant, hours: hours,
            cache: cache)
        let notes = plan.materialNotes(opened.material)
        try measure(
            study, Provenance(.init(contestant), on: plan, request: request, notes: notes), in: folder)
    }

    private func measure(_ study: GrowthStudy, _ origin: Provenance, in folder: String) throws {
        var origin = origin
        // Only queries come from the cache.
        origin.cachedAnswers = 0
        let trials = study.plan.trials.count
        StandardError.print(
            "seed \(origin.seed), \(trials.counting("trial")), "
                + study.references.tracks.count.counting("real reference"))
        let run = try StudyRun(
            of: study, in: folder, origin: origin, isFresh: fresh, jobs: jobs,
            progress: ProgressDisplay().show(_:done:of:))
        var points: [GrowthPoint] = []
        var page = ""
        try study.run(in: run) { point in
            points.append(point)
            page = try GrowthReport(points: points, origin: origin).write(to: folder)
            try StandardOutput.print(GrowthReport.summary(of: point))
        }
        try StandardOutput.print(page)
    }
}
