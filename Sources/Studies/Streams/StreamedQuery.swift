import Evaluation
import Metrics

/// The answers of a stream to one query, played from its beginning.
package struct StreamedQuery: Codable, Sendable {
    /// The claim of the matcher.
    package enum Answer: Codable, Sendable, Hashable {
        case none
        /// A reference that holds the query.
        case right
        /// Another reference.
        case wrong(String)
    }

    /// A change of the answer.
    package struct Change: Codable, Sendable, Hashable {
        /// Seconds of the query played by then.
        package var seconds: Double
        /// The answer from then on.
        package var answer: Answer

        package init(seconds: Double, answer: Answer) {
            self.seconds = seconds
            self.answer = answer
        }
    }

    /// The errors of the reported reference time at the ends of blocks.
    package struct PositionErrors: Codable, Sendable, Hashable {
        /// Signed, in seconds, one for each block that ends with a right answer.
        package var strictSeconds: [Double] = []
        /// The same to the nearest place that sounds alike.
        package var repeatAwareSeconds: [Double] = []

        package init() {}
    }

    /// The trial's name in its plan.
    package let trialID: String
    /// The cell that it counts in.
    package let cell: Cell
    /// The source recording.
    package let source: String
    /// The equivalence class, which trials share if they are not independent.
    package let cluster: String
    /// The changes of the answer in order; the first, at 0, is the answer to the music before.
    package let changes: [Change]
    package let positions: PositionErrors
    /// The error, if it could not be made or played; it then counts as never answered.
    package let error: String?

    package init(
        trialID: String, cell: Cell, source: String, cluster: String, changes: [Change],
        positions: PositionErrors = PositionErrors(), error: String? = nil
    ) {
        self.trialID = trialID
        self.cell = cell
        self.source = source
        self.cluster = cluster
        self.changes = changes
        self.positions = positions
        self.error = error
    }

    /// The time of the first right answer, in seconds.
    package var firstRightSeconds: Double? { changes.first { $0.answer == .right }?.seconds }

    /// The time of the first wrong answer, in seconds.
    package var firstWrongSeconds: Double? {
        changes.first {
            if case .wrong = $0.answer { true } else { false }
        }?.seconds
    }

    /// The time from which the answer is right and does not change again, in seconds.
    package var stableSeconds: Double? {
        changes.last.flatMap { $0.answer == .right ? $0.seconds : nil }
    }

    /// The number of changes from one answer to another or to none.
    package var flips: Int { changes.dropLast().count { $0.answer != .none } }

    /// The number of wrong answers before the right one, or of all if none was right.
    package var wrongAnswersBeforeRight: Int {
        changes.prefix { $0.answer != .right }.count {
            if case .wrong = $0.answer { true } else { false }
        }
    }

    /// The answer after `seconds` of the query.
    package func answer(at seconds: Double) -> Answer {
        changes.last { $0.seconds <= seconds }?.answer ?? .none
    }

    /// The median magnitude of the position error in seconds, with repeats allowed; nil if never right.
    package var medianPositionErrorSeconds: Double? {
        Percentile.of(positions.repeatAwareSeconds.map(abs), at: 0.5)
    }
}
