import ArgumentParser
import Evaluation
import MatcherAdapters
import Reporting
import Studies
import SystemIO

struct GrowthCommand: ParsableCommand, ResumableCommand, StudyCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract: "Match the same queries against growing catalogs: recall, wrong answers, time, memory",
        discussion: """
            A catalog holds real references first, then synthetic ones drawn from their peaks. Positives are cut from the \
            references of the smallest catalog. Results are written after each size. 1000 h take 1.4 GB of memory. \
            For example:

              earshot growth --plan conditions --positives 10 --negatives 10 --hours 5 15 100 1000

            The last line on standard output is the report's path.
            """)

    @OptionGroup var options: PlanOptions
    @OptionGroup var work: StudyOptions
    @Option(parsing: .upToNextOption, help: "The sizes of catalog, in hours.")
    var hours: [Double] = [5, 15, 100, 1000]
    @OptionGroup var caching: CacheOptions
    @OptionGroup var resume: ResumeOptions

    func validate() throws {
        try refuse(["--queries", "--references"], "with growth, which makes queries itself")
        for size in hours { try require("--hours", size, atMost: 100_000) }
    }

    func run() throws {
        let (request, library) = try options.started(work.choice.request())
        let cache = try caching.open(in: library)
        let opened = try request.open(noting: library)
        let plan = opened.plan
        let contestant = try request.matcher.contestant()
        let folder = try plan.corpus.resultFolder(
            work.output, "growth", plan.file.name, plan.corpus.name, contestant.name,
            "\(plan.digest.prefix(8))")
        let study = try GrowthStudy(
            plan: plan, material: opened.material, contestant: contestant, hours: hours,
            cache: cache)
        let notes = plan.materialNotes(opened.material)
        let matcher = try RunFacts.Contestant(contestant, usesCache: cache != nil)
        try measure(study, Provenance(matcher, on: plan, request: request, notes: notes), in: folder)
    }

    private func measure(_ study: GrowthStudy, _ origin: Provenance, in folder: String) throws {
        var origin = origin
        // Only queries come from the cache.
        origin.cachedAnswers = 0
        let trials = study.plan.trials.count
        StandardError.print(
            "seed \(origin.seed), \(trials.counting("trial")), "
                + study.references.tracks.count.counting("real reference"))
        let run = try work.run(study, origin, in: folder, isFresh: resume.fresh)
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
