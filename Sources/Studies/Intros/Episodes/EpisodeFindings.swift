import Corpora
import Evaluation

/// What a search for the shared parts of episodes found.
package struct EpisodeFindings: Sendable {
    /// A file that was read.
    package struct Episode: Sendable {
        /// Its path.
        package var id: String
        /// Its length in seconds.
        package var durationSeconds: Double
    }

    /// A part that two or more files have in common.
    package struct Part: Sendable {
        /// A place where it is heard.
        package struct Place: Hashable, Sendable {
            /// The file, by its place in the list.
            package var episode: Int
            /// Where it lies, in seconds.
            package var seconds: Range<Double>
            /// How far apart the files that share it put its ends, in seconds.
            package var spreadSeconds: Double
        }

        /// Where it is heard, by file and time.
        package var places: [Place]
        /// How the files that have it are told apart; made by asking a matcher.
        package var trials: [Trial] = []

        /// Its length in seconds: the median of its places.
        package var lengthSeconds: Double {
            let lengths = places.map(\.seconds.length).sorted()
            return lengths.isEmpty ? 0 : lengths[lengths.count / 2]
        }

        /// The files that have it.
        package var episodes: [Int] { Set(places.map(\.episode)).sorted() }
    }

    /// A query that ends so long after a shared part of a file, and what a matcher made of it.
    package struct Trial: Sendable {
        /// The file, by its place in the list.
        package var episode: Int
        /// How long after the part's end the query ends, in seconds.
        package var tailSeconds: Double
        /// What the answer came to.
        package var verdict: IntroVerdict
    }

    /// The files that could be read.
    package var episodes: [Episode] = []
    /// The files that could not, with the reason.
    package var unreadable: [EquivalenceAudit.Unreadable] = []
    /// What pairs of files share.
    package var passages: [Passage] = []
    /// What is shared by two or more files, longest first.
    package var parts: [Part] = []

    /// Nothing found yet.
    package init() {}

    /// The files that are the same nearly throughout, in groups.
    package var copies: [[Int]] {
        var groups = EquivalenceClasses(ids: episodes.indices.map { String($0) })
        for passage in passages {
            let whole = zip([passage.first, passage.second], [passage.firstSeconds, passage.secondSeconds])
                .allSatisfy { $1.length >= 0.9 * episodes[$0].durationSeconds }
            if whole { groups.join(String(passage.first), String(passage.second), offsetSeconds: nil) }
        }
        let byClass = Dictionary(grouping: episodes.indices) { groups.classID(of: String($0)) }
        return byClass.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
    }
}
