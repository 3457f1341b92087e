import Corpora
import Matchers

/// The passages that a matcher found in one recording, beside the truth.
package struct PassageOutcome: Codable, Sendable {
    package struct Answer: Codable, Hashable, Sendable {
        package var passage: Passage
        /// The time in the recording at which the matcher was sure, in seconds; nil if it is not known.
        package var elapsedSeconds: Double?

        package init(_ passage: Passage, elapsedSeconds: Double? = nil) {
            self.passage = passage
            self.elapsedSeconds = elapsedSeconds
        }
    }

    package var airings: [Airing]
    /// Passages that may be found and need not be, besides what airings share.
    package var permitted: [Airing.Shared] = []
    /// In the order in which they became sure.
    package var answers: [Answer] = []
    package var durationSeconds: Double
    /// Processor seconds of the matcher; nil if they are not known.
    package var processorSeconds: Double?
    /// What is heard at mistakes, by the row's number in ``PassageScore/rows``.
    package var sounds: [Int: PassageSound] = [:]
    /// Why the matcher stopped before the end; its answers before count.
    package var error: String?

    package init(airings: [Airing], durationSeconds: Double, answers: [Answer] = []) {
        self.airings = airings
        self.durationSeconds = durationSeconds
        self.answers = answers
    }

    /// Takes the answers of another program to a recording with these airings.
    package init(airings: [Airing], durationSeconds: Double, answers list: PassageList) {
        self.init(
            airings: airings, durationSeconds: durationSeconds,
            answers: list.rows.map { row in
                Answer(
                    Passage(
                        referenceID: row.reference, queryRange: row.seconds, referenceRange: 0...0,
                        score: row.score ?? 0))
            })
    }
}
