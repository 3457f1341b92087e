import Corpora
import Evaluation

extension RunRequest {
    /// Reads a plan of intros and opens its corpus.
    ///
    /// - Parameters:
    ///   - sets: sets for each number of episodes.
    ///   - episodes: the numbers of episodes.
    ///   - margin: the lead over every other episode that a claim needs.
    package func openIntros(
        in library: CorpusLibrary, sets: Int?, episodes: [Int]?, margin: Double?
    ) throws -> (plan: IntroPlanFile, opened: OpenedCorpus) {
        var file = try IntroPlanFile(path: library.planPath(plan))
        file.override(
            corpus: corpusName, half: half, seed: seed, sets: sets, episodes: episodes, margin: margin)
        return (file, try openCorpus(in: library, standard: file.corpus))
    }
}
