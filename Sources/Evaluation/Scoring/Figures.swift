import Metrics

extension ScoreFigure {
    /// Every figure, in the order of the columns of `cells.csv`.
    ///
    /// Add one here and to ``Scorecard``, then record `Columns.md` again.
    package static let all: [ScoreFigure] = counts + rates + errors + latencies

    private static let counts: [ScoreFigure] =
        Outcome.allCases.map { outcome in
            .init(
                outcome.rawValue, outcome.title, .count { $0.outcomes[outcome] }, "trials with this outcome",
                in: .cells)
        } + [
            .init("trials", "Trials", .count(\.trials), "all trials of the cell"),
            .init("positives", "Positives", .count(\.outcomes.positives), "trials of enrolled recordings"),
            .init(
                "negatives", "Negatives", .count(\.outcomes.negatives),
                "trials of recordings that are not enrolled"),
            .init(
                "notOffered", "Not offered", .count(\.notOffered),
                "trials whose format does not exist at that rate"),
            .init(
                "notMeasured", "Not measured", .count(\.notMeasured),
                "trials at which the machine disturbed the matcher twice"),
            .init(
                "permitted", "Permitted", .count(\.permitted),
                "trials whose answer is neither right nor wrong"),
            .init("errors", "Failed trials", .count(\.errors), "failed trials"),
        ]

    private static let rates: [ScoreFigure] = [
        .init(
            "recall", "Recall", .rate(\.recall), "correct over positives",
            in: [.files, .recordings, .terminal, .history], gate: .ofPositives { $0.outcome == .correct }),
        .init(
            "precision", "Precision, all answers", .rate(\.precision),
            "right accepted answers over all accepted answers", in: [.files, .terminal]),
        .init(
            "topPrecision", "Precision, top answers", .rate(\.topPrecision), "the same for top answers alone",
            partOf: Whole(id: "precision", title: "top answers"), in: [.files, .terminal]),
        .init(
            "setRecall", "Set recall", .rate(\.setRecall),
            "right references accepted over all right references", in: [.files, .terminal]),
        .init(
            "wrongAnswerRate", "Queries with a wrong answer", .rate(\.wrongAnswerRate),
            "trials with a wrong accepted answer at any rank over trials", isBetterHigh: false,
            gate: .share { $0.isEvidence ? $0.hasWrongAnswer : nil }),
        .init(
            "falseAcceptRate", "False accepts", .rate(\.falseAcceptRate, .bound),
            "false accepts over negatives; equal samples count once", isBetterHigh: false,
            in: [.files, .terminal, .history],
            gate: .share {
                $0.isPositive || !$0.isEvidence || $0.isRepeat ? nil : $0.outcome == .falseAccept
            }),
        .init(
            "falseAcceptRateBound", "Bound of false accepts",
            .number(.fraction) { $0.falseAcceptRate.upperBound() },
            "one-sided 95 % upper bound of false accepts, clustered by class"),
        .init(
            "distinctNegative", "Distinct audio of negatives",
            .audio(seconds: \.distinctNegativeSeconds, recordings: \.falseAcceptRate.clusters),
            "audio in the negatives, overlaps counted once",
            partOf: Whole(id: "falseAcceptRate", title: "different audio"), in: [.files, .terminal]),
        .init(
            "wrongReferenceRate", "Wrong references", .rate(\.wrongReferenceRate),
            "positives with a wrong top answer", isBetterHigh: false, in: [.summary, .terminal, .history],
            gate: .ofPositives { $0.outcome == .wrongReference }),
        .init(
            "f1", "F1", .number(.ratio, \.outcomes.f1),
            "harmonic mean of the precision and recall of top answers",
            in: .summary),
        .init(
            "recallAtZeroFalseAccepts", "Recall at 0 false accepts",
            .rate(\.recallAtZeroFalseAccepts, .fitted(\.recallAtZeroFalseAcceptsInterval)),
            "recall at the lowest threshold without a false accept or wrong reference in the run",
            heading: "At 0 FA", in: [.files, .recordings, .terminal, .history],
            gate: .ofPositives(\.isRightAboveWrong)),
        .init(
            "rightTopAnswer", "Right top answer", .rate(\.rightTopAnswers),
            "positives whose first candidate is right, whatever its score", in: [.files, .terminal]),
        .init(
            "placedRecall", "Recall at the right place", .rate(\.placedRecall),
            "positives found at the right place, of those whose place is known",
            partOf: Whole(id: "recall", title: "at the right place"), in: [.files, .terminal],
            gate: .mark {
                $0.outcome == nil || $0.record.truth?.offsetSeconds == nil ? nil : $0.place == .right
            }
        ),
        .init(
            "rightPlace", "Right place", .rate { $0.share(of: .right) },
            "correct answers at the right place", heading: "Right place", in: [.files, .recordings]),
        .init(
            "repetition", "Repetition", .rate { $0.share(of: .repetition) },
            "correct answers at a repetition"),
        .init(
            "frequencySkewCoverage", "Coverage of frequency skews", .rate(\.frequencySkewCoverage),
            "measured frequency skews within 1.96 stated standard errors", in: .summary),
        .init(
            "timeSkewCoverage", "Coverage of time skews", .rate(\.timeSkewCoverage),
            "measured time skews within 1.96 stated standard errors", in: .summary),
    ]

    private static let errors: [ScoreFigure] = [
        .init(
            "frequencySkewError", "Answered frequency skew error", .errors(.fraction, \.frequencySkewError),
            "answered minus true frequency skew",
            partOf: Whole(id: "measuredFrequencySkewError", title: "as answered"), in: [.files, .terminal]),
        .init(
            "timeSkewError", "Answered time skew error", .errors(.fraction, \.timeSkewError),
            "answered minus true time skew",
            partOf: Whole(id: "measuredTimeSkewError", title: "as answered"), in: [.files, .terminal]),
        .init(
            "freeFrequencySkewError", "Measured frequency skew error",
            .errors(.fraction, \.freeFrequencySkewError), "measured minus true frequency skew"),
        .init(
            "freeTimeSkewError", "Measured time skew error", .errors(.fraction, \.freeTimeSkewError),
            "measured minus true time skew"),
        .init(
            "measuredFrequencySkewError", "Frequency skew error",
            .first(.fraction, ["freeFrequencySkewError", "frequencySkewError"]),
            "measured minus true frequency skew, else answered minus true", heading: "Frequency skew error",
            in: [.terminal, .history],
            gate: .magnitude(resolution: 1e-6, \.freeFrequencySkewError, answered: { $0.frequencySkewError }),
            gateName: "frequencySkewError", gateWords: "frequency-skew error"),
        .init(
            "measuredTimeSkewError", "Time skew error",
            .first(.fraction, ["freeTimeSkewError", "timeSkewError"]),
            "measured minus true time skew, else answered minus true", heading: "Time skew error",
            in: [.terminal, .history],
            gate: .magnitude(resolution: 1e-6, \.freeTimeSkewError, answered: { $0.timeSkewError }),
            gateName: "timeSkewError", gateWords: "time-skew error"),
        .init(
            "strictOffsetError", "Strict offset error", .errors(.seconds, \.strictOffsetError),
            "answered minus true offset", partOf: Whole(id: "offsetError", title: "strict"),
            in: [.files, .terminal]),
        .init(
            "offsetError", "Offset error", .errors(.seconds, \.offsetError),
            "the offset error to the nearest same waveform", heading: "Offset error",
            in: [.files, .terminal, .history],
            gate: .magnitude(resolution: 1e-5, \.offsetErrorSeconds)),
    ]

    private static let latencies: [ScoreFigure] = [
        .init(
            "latencyFound", "Latency, found", .latency(\.found), "positives with a right answer",
            isBetterHigh: false, in: [.cells, .terminal, .history]),
        .init(
            "latencyUnknown", "Latency, unknown", .latency(\.unknown), "negatives", isBetterHigh: false,
            in: [.cells, .terminal, .history]),
    ]
}

extension Outcome {
    /// Its name for people.
    package var title: String {
        switch self {
        case .correct: "Correct"
        case .wrongReference: "Wrong reference"
        case .missed: "Missed"
        case .falseAccept: "False accept"
        case .correctReject: "Correct reject"
        case .negativeError: "Error on a negative"
        }
    }
}
