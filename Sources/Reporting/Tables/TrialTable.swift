import Evaluation
import Metrics

extension RunTable {
    private typealias Column = Table<JudgedTrial>.Column

    /// The latency columns come last, so that the others can be compared between runs byte by byte.
    static var trials: RunTable {
        RunTable(
            "trials.csv", "One row for each trial, in the order of the plan.",
            condition + judgement + truth + answer + query + latency, of: \.trials)
    }

    private static var condition: [Column] {
        [
            Column(
                "trial", "name of the trial, unique in its plan, such as `pink-noise/0-db/5s/p003`",
                text: { $0.record.trial.id }),
            Column("degradation", "family of the plan", text: { $0.record.trial.cell.degradation }),
            Column("severity", "strength as printed", text: { $0.record.trial.cell.severity }),
            Column(
                "severityValue", "strength as a number", unit: "of the family",
                number: { $0.record.trial.cell.severityValue }),
            Column("lengthSeconds", "requested query length", number: { $0.record.trial.cell.lengthSeconds }),
            Column(
                "kind", "`positive` (in an enrolled reference) or `negative`",
                text: { $0.record.trial.isPositive ? "positive" : "negative" }),
            Column("source", "recording that the query was cut from", text: { $0.record.trial.source }),
            Column(
                "sourceClass", "its equivalence class, by which intervals are clustered",
                text: { $0.record.sourceClass }),
            Column(
                "sourceStartSeconds", "start of the query in that recording",
                number: { $0.record.sourceStartSeconds }),
            Column(
                "sourceEndSeconds", "end of the query in that recording",
                number: { $0.record.sourceEndSeconds }),
            Column(
                "fold", "fold that was left out of the catalog; empty for the whole catalog",
                count: { $0.record.trial.fold }),
        ]
    }

    private static var judgement: [Column] {
        [
            Column(
                "outcome",
                "how the trial ended, by the top answer; `notMeasured` where the machine disturbed the matcher twice, `permitted` where the answer is neither right nor wrong, empty when not offered",
                text: {
                    $0.outcome?.rawValue ?? $0.record.notMeasured.map { _ in "notMeasured" }
                        ?? ($0.isPermitted ? "permitted" : nil)
                }),
            Column(
                "isRight", "whether the outcome is `correct` or `correctReject`",
                flag: { $0.outcome?.isRight }),
            Column(
                "offered", "`false` where the format does not exist at this rate; then nothing was run",
                flag: { $0.record.isOffered }),
            Column(
                "error", "what went wrong, if anything did",
                text: { $0.record.error ?? $0.record.notMeasured }),
        ]
    }

    private static var truth: [Column] {
        [
            Column(
                "truthReferences", "right references, separated by `|`; empty for a negative",
                text: { $0.record.truthReferences.joined(separator: "|") }),
            Column(
                "truthOffsetSeconds", "reference time at the query's first sample",
                number: { $0.record.truth?.offsetSeconds }),
            Column(
                "truthFrequencySkew", "frequency of the query over that of the reference, minus 1",
                number: { $0.record.truth?.frequencySkew }),
            Column(
                "truthTimeSkew", "reference seconds per query second, minus 1, by least squares",
                number: { $0.record.truth?.timeSkew }),
            Column(
                "truthSkewChangePerSecond", "change of the time skew, for drift and wow",
                number: { $0.record.truth?.skewChangePerSecond }),
        ]
    }

    private static var answer: [Column] {
        [
            Column("acceptedAnswers", "candidates at or above the threshold", count: { $0.accepted.count }),
            Column("wrongAnswers", "those that name no right reference", count: { $0.wrongAnswers }),
            Column(
                "answerReference", "first accepted candidate: the top answer", text: { $0.claim?.referenceID }
            ), Column("answerOffsetSeconds", "its offset", number: { $0.claim?.offsetSeconds }),
            Column("answerFrequencySkew", "its frequency skew", number: { $0.claim?.frequencySkew }),
            Column("answerTimeSkew", "its time skew", number: { $0.claim?.timeSkew }),
            Column(
                "answerFreeFrequencySkew", "its frequency skew as measured, no kind of skew assumed",
                number: { $0.claim?.freeFrequencySkew }),
            Column(
                "answerFreeTimeSkew", "its time skew as measured, no kind of skew assumed",
                number: { $0.claim?.freeTimeSkew }),
            Column(
                "answerFrequencySkewStandardError", "its stated standard error",
                number: { $0.claim?.frequencySkewStandardError }),
            Column(
                "answerTimeSkewStandardError", "its stated standard error",
                number: { $0.claim?.timeSkewStandardError }),
            Column(
                "answerScore", "its score; log-odds for the built-in matcher", number: { $0.claim?.score }),
            Column("answerConfidence", "its stated probability", number: { $0.claim?.confidence }),
            Column(
                "frequencySkewError", "answer minus truth, for correct answers",
                number: { $0.frequencySkewError }),
            Column("timeSkewError", "answer minus truth, for correct answers", number: { $0.timeSkewError }),
            Column("freeFrequencySkewError", "the same as measured", number: { $0.freeFrequencySkewError }),
            Column("freeTimeSkewError", "the same as measured", number: { $0.freeTimeSkewError }),
            Column(
                "strictOffsetErrorSeconds", "answered offset minus true offset, for correct answers",
                number: { $0.strictOffsetErrorSeconds }),
            Column(
                "offsetErrorSeconds", "the same to the nearest place of the same waveform (correlation 0.8)",
                number: { $0.offsetErrorSeconds }),
            Column(
                "place", "`right` (within 0.5 s), `repetition` (elsewhere, same waveform) or `other`",
                text: { $0.place?.rawValue }),
            Column(
                "bestReference", "first candidate, accepted or not",
                text: { $0.record.candidates.first?.referenceID }),
            Column("bestScore", "its score", number: { $0.record.candidates.first?.score }),
            Column(
                "bestConfidence", "its stated probability", number: { $0.record.candidates.first?.confidence }
            ),
            Column(
                "bestIsRight", "whether its reference and place are right, as `reliability.csv` counts",
                flag: { $0.forecast?.happened }),
            Column(
                "secondBestScore", "score of the second candidate",
                number: { $0.record.candidates.dropFirst().first?.score }),
            Column(
                "rightRank", "rank of the first right reference among the candidates, from 1",
                count: { $0.rightRank }),
            Column(
                "rightScore", "highest threshold at which the claim is right",
                number: { $0.scores.rightScore }),
            Column(
                "wrongScore", "highest threshold at which the claim is wrong",
                number: { $0.scores.wrongScore }),
        ]
    }

    private static var query: [Column] {
        [
            Column(
                "snrDecibels", "measured signal-to-noise ratio over the full band, up to 22.05 kHz",
                number: { $0.record.query?.snrDecibels }),
            Column(
                "snrDecibelsPerChannel", "the ratio of the mean power of the channels, full band", unit: "dB",
                number: { $0.record.query?.snrDecibelsPerChannel }),
            Column(
                "snrDecibelsTo4kHz", "the same within 0–4 kHz", unit: "dB",
                number: { $0.record.query?.snrDecibelsTo4kHz }),
            Column(
                "querySampleRate", "sample rate of the query", unit: "Hz",
                count: { $0.record.query?.sampleRate ?? 0 }),
            Column("queryChannels", "channels of the query", count: { $0.record.query?.channelCount ?? 0 }),
            Column(
                "queryFrames", "length of the query in frames", count: { $0.record.query?.frameCount ?? 0 }),
            Column(
                "queryDigest", "SHA-256 of the query's decoded samples", text: { $0.record.query?.digest }),
            Column(
                "redraws", "starts that were rejected because the clip was too quiet",
                count: { $0.record.query?.redraws ?? 0 }),
            Column(
                "chain", "chain of degradations with all drawn values, as JSON",
                text: { $0.record.trial.chain.json }),
        ]
    }

    private static var latency: [Column] {
        [
            Column(
                "matchMilliseconds",
                "wall time from samples to answers, for timed trials; the median of the passes",
                number: { $0.record.latency.flatMap { $0.milliseconds.isFinite ? $0.milliseconds : nil } }),
            Column(
                "processorMilliseconds", "processor time of the matcher in that time",
                number: { $0.record.latency?.processorMilliseconds }),
        ]
    }
}
