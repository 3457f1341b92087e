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
    /// The references that may be answered; nil if they are not known.
    package var catalog: [String]?
    /// Processor seconds of the matcher; nil if they are not known.
    package var processorSeconds: Double?
    /// What is heard at mistakes, by the row's number in ``PassageScore/rows``.
    package var sounds: [Int: PassageSound] = [:]
    /// Why the matcher stopped before the end; its answers before count.
    package var error: String?

    package init(
        airings: [Airing], durationSeconds: Double, catalog: [String]? = nil, answers: [Answer] = []
    ) {
        self.airings = airings
        self.durationSeconds = durationSeconds
        self.catalog = catalog
        self.answers = answers
    }

    /// Takes the answers of another program to a recording with these airings.
    ///
    /// - Parameter remedy: more words of the error of an answer behind the end.
    /// - Throws: ``ConfigurationError`` with line and column for an answer behind the end of the recording, or for a reference that
    ///   is not in its catalog.
    init(
        airings: [Airing], durationSeconds: Double, catalog: [String]?, answers list: PassageList,
        remedy: String = ""
    ) throws {
        self.init(airings: airings, durationSeconds: durationSeconds, catalog: catalog)
        try list.requireEnds(upTo: latestEnd, of: durationSeconds, remedy: remedy)
        if let catalog { try list.requireReferences(of: catalog) }
        answers = list.rows.map { row in
            Answer(
                Passage(
                    referenceID: row.reference, queryRange: row.seconds,
                    referenceRange: row.referenceSeconds ?? 0...0, frequencySkew: row.frequencySkew,
                    timeSkew: row.timeSkew, score: row.score ?? 0))
        }
    }

    /// The latest end of an answer: programs round, and look at windows that the recording does not fill.
    var latestEnd: Double { durationSeconds + Self.endToleranceSeconds }

    private static let endToleranceSeconds = 1.0
}
