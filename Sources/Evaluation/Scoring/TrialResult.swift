import Metrics

/// The result of one trial, reduced to what a baseline compares.
package struct TrialResult: Hashable, Sendable {
    /// Nil when its format is not offered, it was not measured, or its answer is only permitted.
    package var outcome: Outcome?
    /// Whether a right reference is claimed above the run's highest wrong score (``ZeroFalseAcceptPoint``).
    package var isRightAboveWrong: Bool
    package var isError: Bool
    /// Whether an earlier negative of the run has the same samples and catalog, so that it is no evidence of its own.
    package var isRepeat = false
    /// What a baseline stores beside the outcome, by name: the numbers of measures and the following.
    package var numbers: [String: Double] = [:]

    private static let right = "rightScore"
    private static let wrong = "wrongScore"
    /// The number of wrong accepted answers; nil for none.
    private static let wrongAnswers = "wrongAnswers"

    /// The significant digits of a number in a file; enough for scores that rounding ties none.
    package static func digits(of name: String) -> Int { name == right || name == wrong ? 9 : 4 }

    /// - Parameter passStarts: when the passes of the run began.
    package init(
        _ trial: JudgedTrial, highestWrongScore: Double?, isRepeat: Bool, passStarts: [Double] = []
    ) {
        self.isRepeat = isRepeat
        outcome = trial.outcome
        isError = trial.record.error != nil
        isRightAboveWrong = outcome != nil && trial.scores.isRight(above: highestWrongScore)
        for measure in TrialMeasure.all { numbers.merge(measure.numbers(of: trial)) { $1 } }
        if outcome != nil {
            numbers[Self.wrongAnswers] = trial.wrongAnswers > 0 ? Double(trial.wrongAnswers) : nil
            numbers[Self.right] = trial.scores.rightScore.map(Self.limited)
            numbers[Self.wrong] = trial.scores.wrongScore.map(Self.limited)
        }
        if let latency = trial.record.latency {
            numbers.merge(TrialCost.numbers(of: latency, passesFrom: passStarts)) { $1 }
        }
    }

    /// The highest threshold at which a right reference is claimed, in the matcher's unit.
    package var rightScore: Double? { numbers[Self.right] }

    /// Whether an accepted answer is wrong, at whatever rank.
    package var hasWrongAnswer: Bool {
        outcome == .wrongReference || outcome == .falseAccept || numbers[Self.wrongAnswers] != nil
    }

    /// A score as a number that JSON has.
    private static func limited(_ score: Double) -> Double { min(max(score, -1e300), 1e300) }

    /// Whether it was run, and its query is of an enrolled recording.
    package var isPositive: Bool {
        outcome.map { [.correct, .wrongReference, .missed].contains($0) } ?? false
    }

    /// Whether it was run, and the matcher did not fail on a negative.
    package var isEvidence: Bool { outcome != nil && outcome != .negativeError }

    /// The scores that decide it at any threshold.
    package func scores(isPositive: Bool) -> ScoredTrial {
        ScoredTrial(
            isPositive: isPositive, rightScore: rightScore, wrongScore: wrongScore)
    }

    /// Whether a wrong reference is claimed above a score; nil claims every answer.
    package func hasWrong(above score: Double?) -> Bool {
        wrongScore.map { $0 > (score ?? -.infinity) } ?? false
    }

    /// The score of the best wrong reference, in the matcher's unit.
    package var wrongScore: Double? { numbers[Self.wrong] }

    /// Whether an answer is accepted.
    package var isClaim: Bool {
        outcome.map { [.correct, .wrongReference, .falseAccept].contains($0) } ?? false
    }

    /// One character, upper case if ``isRightAboveWrong``.
    ///
    /// It is `c` correct, `w` wrong reference, `m` missed, `f` false accept, `r` correctly rejected, `e` failed
    /// positive, `x` failed negative, or `-` without an outcome.
    package var character: Character {
        let letter: Character =
            switch (outcome, isError) {
            case (nil, _): "-"
            case (.negativeError, _): "x"
            case (_, true): "e"
            case (.correct, _): "c"
            case (.wrongReference, _): "w"
            case (.missed, _): "m"
            case (.falseAccept, _): "f"
            case (.correctReject, _): "r"
            }
        return isRightAboveWrong ? Character(letter.uppercased()) : letter
    }

    /// Reads what ``character`` writes; nil for any other character.
    package init?(character: Character) {
        let outcomes: [String: (Outcome?, Bool)] = [
            "-": (nil, false), "x": (.negativeError, true), "e": (.missed, true), "c": (.correct, false),
            "w": (.wrongReference, false), "m": (.missed, false), "f": (.falseAccept, false),
            "r": (.correctReject, false),
        ]
        guard let (outcome, isError) = outcomes[character.lowercased()] else { return nil }
        self.outcome = outcome
        self.isError = isError
        isRightAboveWrong = character.isUppercase
    }
}
