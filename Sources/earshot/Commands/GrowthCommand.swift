import ArgumentParser
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import Studies

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
        if jobs < 1 { throw ValidationError("--jobs \(jobs) is below 1") }
        for size in hours where !(size > 0 && size <= 100_000) {
            throw ValidationError("--hours \(size) is not above 0 and at most 100000")
        }
    }

    func run() throws {
        let request = options.request(choice.request)
        let opened = try request.open()
        let (asked, material) = (opened.plan, opened.material)
        let contestant = try request.matcher.contestant()
        let name = [
            "growth", asked.file.name, asked.corpus.name, contestant.name, String(asked.digest.prefix(8)),
        ]
        let folder = output ?? "Reports/runs/" + name.joined(separator: "-")
        try asked.corpus.requireOutside(folder)
        let cache = try caching.open(in: opened.library)
        let display = ProgressDisplay()
        let study = try GrowthStudy(
            plan: asked, material: material, contestant: contestant, hours: hours, jobs: jobs, cache: cache,
            progress: display.show(_:done:of:))
        var origin = Provenance(
            try .init(contestant), on: asked, request: request, notes: asked.materialNotes(material))
        StandardError.print(
            "seed \(asked.seed), \(study.plan.trials.count) trials, \(study.references.tracks.count) real references"
        )
        var points: [GrowthPoint] = []
        var path = ""
        let run = try StudyRun(
            in: StudyFolder(path: folder),
            facts: StudyFacts(
                "growth", settings: study.hours, origin: origin,
                trialCount: study.hours.count * (study.plan.trials.count + 1)),
            identity: study.identity, isFresh: fresh, progress: display.show(_:done:of:))
        try study.run(in: run) { point in
            points.append(point)
            origin.cachedAnswers = cache?.answersTaken ?? 0
            path = try GrowthReport(points: points, origin: origin).write(to: folder)
            try StandardOutput.print(GrowthReport.summary(of: point))
        }
        try StandardOutput.print(path)
    }
}
