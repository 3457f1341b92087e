import AudioCore
import Corpora

/// Episodes that share an intro: which recordings they are made of, drawn before any is decoded.
///
/// No two parts of a set, its background included, come from recordings of one equivalence class.
struct IntroSet: Sendable {
    /// Counted from 1 among the sets with as many episodes.
    let number: Int
    /// The recording that the intro is cut from.
    let intro: Track
    /// The recording that each episode is otherwise cut from.
    let episodes: [Track]
    /// Other recordings that are enrolled beside the episodes, whole.
    let background: [Track]
    /// Where everything that needs the samples is drawn from.
    let seed: UInt64

    /// Its name among all sets.
    var name: String { "n\(episodes.count)/s\(number)" }

    /// What an episode is enrolled as.
    func episodeID(_ index: Int) -> String { "\(name)/e\(index + 1)" }

    /// A generator for one purpose within this set.
    func generator(_ purpose: String) -> SeededGenerator { SeededGenerator(seed: seed, name, purpose) }
}

extension IntroPlanFile {
    /// Draws all sets from the recordings of a corpus's half: a pure function of plan and lock.
    ///
    /// - Throws: ``ConfigurationError`` when there are too few recordings that are long enough.
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
