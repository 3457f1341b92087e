import AudioCore
import Corpora

/// The recordings of episodes that share an intro, drawn before any is decoded.
///
/// All parts of a set and its background come from different equivalence classes.
struct IntroSet: Sendable {
    /// From 1, among the sets with the same number of episodes.
    let number: Int
    /// The recording that the intro is cut from.
    let intro: Track
    /// The recording for the rest of each episode.
    let episodes: [Track]
    /// Whole recordings that are enrolled beside the episodes.
    let background: [Track]
    /// The seed of choices that need the samples.
    let seed: UInt64

    /// Unique among all sets.
    var name: String { "n\(episodes.count)/s\(number)" }

    /// The reference id of an episode.
    func episodeID(_ index: Int) -> String { "\(name)/e\(index + 1)" }

    /// A generator for one purpose within this set.
    func generator(_ purpose: String) -> SeededGenerator { SeededGenerator(seed: seed, name, purpose) }
}

extension IntroPlanFile {
    /// Draws all sets from one half of a corpus; the result depends only on plan and lock.
    ///
    /// - Throws: ``ConfigurationError`` if too few recordings are long enough.
    func drawSets(from corpus: Corpus) throws -> [IntroSet] {
        let needed = max(introSeconds.upperBound, openingSeconds.upperBound + bodySeconds) + 1
        let offered = corpus.tracks.filter { $0.role == .enrolled(half) }
        let classes = Dictionary(grouping: offered, by: \.classID).sorted { $0.key < $1.key }.map(\.value)
        let longEnough = classes.count { $0.contains { $0.durationSeconds >= needed } }
        guard let most = episodes.max(), longEnough > most else {
            throw ConfigurationError(
                file: path, line: nil,
                message:
                    "the \(half.rawValue) half of \(corpus.name) has \(longEnough) unrelated recordings of "
                    + "\(needed) s or more; sets of \(episodes.max() ?? 0) episodes need one more than that")
        }
        return episodes.flatMap { count in
            (1...sets).map { number in
                var generator = SeededGenerator(seed: seed, "intro set", "\(count)", "\(number)")
                var drawn: [Track] = []
                var others: [Track] = []
                for members in classes.shuffled(using: &generator) {
                    let suitable = members.filter { $0.durationSeconds >= needed }
                    if drawn.count <= count, !suitable.isEmpty {
                        drawn.append(suitable[generator.index(below: suitable.count)])
                    } else {
                        others.append(members[generator.index(below: members.count)])
                    }
                }
                return IntroSet(
                    number: number, intro: drawn[0], episodes: Array(drawn.dropFirst()),
                    background: Array(others.prefix(background)), seed: seed)
            }
        }
    }
}
