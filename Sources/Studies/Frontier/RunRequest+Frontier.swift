import Corpora
import Evaluation

extension RunRequest {
    /// Reads a plan of axes, opens its corpus and chooses the queries.
    package func openFrontier(in library: CorpusLibrary) throws -> (
        plan: FrontierPlan, material: CorpusMaterial
    ) {
        var file = try FrontierFile(path: library.planPath(plan))
        try file.override(corpus: corpusName, queries: queries, axes: axes.isEmpty ? nil : axes)
        let opened = try openCorpus(in: library, standard: file.corpus)
        let plan = try FrontierPlan(
            file: file, corpus: opened.corpus, material: opened.material, half: half, seed: seed)
        return (plan, opened.material)
    }
}
