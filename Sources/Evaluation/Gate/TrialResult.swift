import Metrics

/// The result of one trial, reduced to what a baseline compares.
package struct TrialResult: Hashable, Sendable {
    /// Nil when its format is not offered.
    package var outcome: Outcome?
    /// Whether a right reference is claimed above the run's highest wrong score (``ZeroFalseAcceptPoint``).
    package var isRightAboveWrong: Bool
    package var isError: Bool
    package var magnitudes: [Magnitude: Double] = [:]

    package enum Magnitude: String, Codable, Sendable, CaseIterable {
        /// The offset error to the nearest place that sounds the same, in seconds.
        case offsetErrorSeconds
        /// The error of the measured frequency skew, as a fraction.
        case frequencySkewError
        /// The error of the measured time skew, as a fraction.
        case timeSkewError
        /// The latency divided by that of ``CalibrationLoop`` at the same time.
        case latencyRatio
        /// The highest threshold at which a right reference is claimed, in the matcher's unit.
        case rightScore
        /// The highest threshold at which a wrong reference is claimed.
        case wrongScore
        /// The number of wrong accepted answers; nil for none.
        case wrongAnswers
    }

    package init(_ trial: JudgedTrial, highestWrongScore: Double?) {
        outcome = trial.outcome
        isError = trial.record.error != nil
        isRightAboveWrong = outcome != nil && trial.scores.isRight(above: highestWrongScore)
        magnitudes[.offsetErrorSeconds] = trial.offsetErrorSeconds.map(abs)
        magnitudes[.frequencySkewError] = (trial.freeFrequencySkewError ?? trial.frequencySkewError).map(abs)
        magnitudes[.timeSkewError] = (trial.freeTimeSkewError ?? trial.timeSkewError).map(abs)
        if outcome != nil {
            magnitudes[.wrongAnswers] = trial.wrongAnswers > 0 ? Double(trial.wrongAnswers) : nil
            magnitudes[.rightScore] = trial.scores.rightScore.map(Self.limited)
            magnitudes[.wrongScore] = trial.scores.wrongScore.map(Self.limited)
        }
        if let latency = trial.record.latency,
            let calibration = latency.calibrationMilliseconds, calibration > 0
        {
            magnitudes[.latencyRatio] = latency.milliseconds / calibration
        }
    }

    /// Whether an accepted answer is wrong, at whatever rank.
    package var hasWrongAnswer: Bool {
        outcome == .wrongReference || outcome == .falseAccept || magnitudes[.wrongAnswers] != nil
    }

    /// A score as a number that JSON has.
    private static func limited(_ score: Double) -> Double { min(max(score, -1e300), 1e300) }

    /// Whether it was run, and the matcher did not fail on a negative.
    package var isEvidence: Bool { outcome != nil && outcome != .negativeError }

    /// The scores that decide it at any threshold.
    package func scores(isPositive: Bool) -> ScoredTrial {
        ScoredTrial(
            isPositive: isPositive, rightScore: magnitudes[.rightScore], wrongScore: magnitudes[.wrongScore])
    }

    /// One character, upper case if ``isRightAboveWrong``.
    ///
    /// It is `c` correct, `w` wrong reference, `m` missed, `f` false accept, `r` correctly rejected, `e` failed
    /// positive, `x` failed negative, or `-` not offered.
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
