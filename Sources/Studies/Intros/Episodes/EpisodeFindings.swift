import Corpora
import Evaluation

/// The results of a search for the shared parts of episodes.
package struct EpisodeFindings: Sendable {
    /// A file that was read.
    package struct Episode: Sendable {
        package var id: String
        package var durationSeconds: Double
    }

    /// A part that two or more files have in common.
    package struct Part: Sendable {
        /// A place in a file that has the part.
        package struct Place: Hashable, Sendable {
            /// The index of the file.
            package var episode: Int
            /// In seconds of the file.
            package var seconds: Range<Double>
            /// The spread of its ends over the files that share it, in seconds.
            package var spreadSeconds: Double
        }

        /// Its places, by file and time.
        package var places: [Place]
        /// Trials that show whether a matcher distinguishes its files.
        package var trials: [Trial] = []

        /// Its length in seconds: the median of its places.
        package var lengthSeconds: Double {
            let lengths = places.map(\.seconds.length).sorted()
            return lengths.isEmpty ? 0 : lengths[lengths.count / 2]
        }

        /// The indices of the files that have it.
        package var episodes: [Int] { Set(places.map(\.episode)).sorted() }
    }

    /// A query that ends after a shared part of a file, and the matcher's answer.
    package struct Trial: Sendable {
        /// The index of the file.
        package var episode: Int
        /// The time from the part's end to the query's end, in seconds.
        package var tailSeconds: Double
        package var verdict: IntroVerdict
    }

    /// The files that could be read.
    package var episodes: [Episode] = []
    /// The files that could not be read, with the reason.
    package var unreadable: [EquivalenceAudit.Unreadable] = []
    /// The passages that pairs of files share.
    package var passages: [Passage] = []
    /// The parts that two or more files share, longest first.
    package var parts: [Part] = []

    package init() {}

    /// Groups of files that are nearly the same throughout.
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
