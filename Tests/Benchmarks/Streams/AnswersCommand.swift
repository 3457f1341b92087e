import ArgumentParser
import AudioCore
import Evaluation
import Fingerprinting
import Metrics

/// How soon and how well the queries of a plan are recognised when they are played from their beginnings.
struct AnswersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "answers")

    @Option(help: "The plan.") var plan = "streams"
    @Option(help: "The half of the corpus.") var half: String?
    @Option(help: "Sample frames in a block.") var block = 1024
    @Option(help: "Threads.") var jobs = 2
    @Option(help: "Seconds of other music before each query; times count from its end.") var lead = 0.0
    @Flag(help: "Print each query.") var verbose = false

    func run() throws {
        let library = try CorpusLibrary()
        let file = try PlanFile(path: library.planPath(plan))
        let corpus = try Corpus.open(named: file.corpus, in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let plan = try Plan(
            file: file, corpus: corpus, material: material, half: half.flatMap(CorpusHalf.init(rawValue:)),
            seed: nil)
        let catalog = try StreamCatalog(of: plan.references(leavingOut: nil), in: plan.corpus)
        let others = plan.corpus.tracks.filter { $0.role == .negative && $0.durationSeconds > lead + 1 }
        let results = try ParallelMap.map(plan.trials.count, jobs: jobs) {
            number -> (cell: String, played: PlayedQuery)? in
            let trial = plan.trials[number]
            guard let source = trial.source, let track = catalog.tracks[source] else { return nil }
            let query = try trial.render(from: plan.corpus.audio(of: track), material: material)
            let other = others[number % max(1, others.count)]
            let before = try lead > 0 ? plan.corpus.audio(of: other) : nil
            return (
                trial.cell.slug,
                try PlayedQuery(query, of: source, after: before, seconds: lead, catalog, block: block)
            )
        }.compactMap { $0 }
        for cell in results.map(\.cell).uniqued() {
            let played = results.filter { $0.cell == cell }.map(\.played)
            if verbose { for query in played { print(cell, query) } }
            print("\(cell): \(PlayedQuery.summary(of: played))")
        }
    }
}

extension Array where Element: Hashable {
    /// The elements without repetitions, in order.
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
