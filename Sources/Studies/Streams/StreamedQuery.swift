import Evaluation
import Metrics

/// What a stream made of one query that was played from its beginning.
package struct StreamedQuery: Codable, Sendable {
    /// What is claimed to be heard.
    package enum Answer: Codable, Sendable, Hashable {
        /// Nothing.
        case none
        /// A reference that holds the query.
        case right
        /// Another reference.
        case wrong(String)
    }

    /// A moment at which the answer became another one.
    package struct Change: Codable, Sendable, Hashable {
        /// Seconds of the query heard by then.
        package var seconds: Double
        /// The answer from then on.
        package var answer: Answer

        /// Describes a change.
        package init(seconds: Double, answer: Answer) {
            self.seconds = seconds
            self.answer = answer
        }
    }

    /// How far from the truth the reference time lies that is said to be heard, at ends of blocks.
    package struct PositionErrors: Codable, Sendable, Hashable {
        /// Signed, in seconds, one for each block at whose end the right reference is named.
        package var strictSeconds: [Double] = []
        /// The same to the nearest place that sounds alike.
        package var repeatAwareSeconds: [Double] = []

        /// Holds none yet.
        package init() {}
    }

    /// The trial's name in its plan.
    package let trialID: String
    /// The cell it counts in.
    package let cell: Cell
    /// The recording it was cut from.
    package let source: String
    /// What trials that are not independent of this one share: the equivalence class.
    package let cluster: String
    /// When the answer changed, in order; the first at 0, with what other music before it has left.
    package let changes: [Change]
    /// The errors of position.
    package let positions: PositionErrors
    /// Why it could not be made or played; it then counts as never answered.
    package let error: String?

    /// Describes a query that was played.
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

    /// When a right reference was named first, in seconds.
    package var firstRightSeconds: Double? { changes.first { $0.answer == .right }?.seconds }

    /// When another reference was named first, in seconds.
    package var firstWrongSeconds: Double? {
        changes.first {
            if case .wrong = $0.answer { true } else { false }
        }?.seconds
    }

    /// From when on the answer is right and never changes again, in seconds.
    package var stableSeconds: Double? {
        changes.last.flatMap { $0.answer == .right ? $0.seconds : nil }
    }

    /// How often an answer was given up for another one or for none.
    package var flips: Int { changes.dropLast().count { $0.answer != .none } }

    /// How many wrong answers were given before the right one, or in all where that never came.
    package var wrongAnswersBeforeRight: Int {
        changes.prefix { $0.answer != .right }.count {
            if case .wrong = $0.answer { true } else { false }
        }
    }

    /// The answer once so many seconds were heard.
    package func answer(at seconds: Double) -> Answer {
        changes.last { $0.seconds <= seconds }?.answer ?? .none
    }

    /// The median of the position error's magnitude in seconds, repeats allowed; nil when never right.
    package var medianPositionErrorSeconds: Double? {
        Percentile.of(positions.repeatAwareSeconds.map(abs), at: 0.5)
    }
}
