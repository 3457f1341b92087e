import Metrics

/// The meaning and the unit of every column of a run's CSV files.
///
/// The article *Columns of the tables* is made from it.
package struct DataDictionary: Sendable {
    package struct Column: Sendable {
        package let name: String
        /// `s`, `ms`, `Hz`, `dB`, `bits`, `fraction`, `count`, `score` (the matcher's own unit), `flag` or `text`.
        package let unit: String
        package let meaning: String
    }

    /// A CSV file.
    package struct File: Sendable {
        package let name: String
        /// What a row is.
        package let rows: String
        /// In the order of the file.
        package let columns: [Column]
    }

    package static let files = [
        trials, cells, recordings, reliability, detection, noise, skew, costs, retrieval,
    ]

    private static func column(_ name: String, _ unit: String, _ meaning: String) -> Column {
        Column(name: name, unit: unit, meaning: meaning)
    }

    private static let trials = File(
        name: "trials.csv", rows: "One row for each trial, in the order of the plan.",
        columns: [
            column(
                "trial", "text", "name of the trial, unique in its plan, such as `pink-noise/0-db/5s/p003`"),
            column("degradation", "text", "family of the plan"),
            column("severity", "text", "strength as printed"),
            column("severityValue", "of the family", "strength as a number"),
            column("lengthSeconds", "s", "requested query length"),
            column("kind", "text", "`positive` (in an enrolled reference) or `negative`"),
            column("source", "text", "recording that the query was cut from"),
            column("sourceClass", "text", "its equivalence class, by which intervals are clustered"),
            column("sourceStartSeconds", "s", "start of the query in that recording"),
            column("sourceEndSeconds", "s", "end of the query in that recording"),
            column("fold", "count", "fold that was left out of the catalog; empty for the whole catalog"),
            column("outcome", "text", "how the trial ended, by the top answer; empty when not offered"),
            column("isRight", "flag", "whether the outcome is `correct` or `correctReject`"),
            column(
                "offered", "flag",
                "`false` where the format does not exist at this rate; then nothing was run"),
            column("error", "text", "what went wrong, if anything did"),
            column("truthReferences", "text", "right references, separated by `|`; empty for a negative"),
            column("truthOffsetSeconds", "s", "reference time at the query's first sample"),
            column(
                "truthFrequencySkew", "fraction", "frequency of the query over that of the reference, minus 1"
            ),
            column(
                "truthTimeSkew", "fraction", "reference seconds per query second, minus 1, by least squares"),
            column("truthSkewChangePerSecond", "1/s", "change of the time skew, for drift and wow"),
            column("acceptedAnswers", "count", "candidates at or above the threshold"),
            column("wrongAnswers", "count", "those that name no right reference"),
            column("answerReference", "text", "first accepted candidate: the top answer"),
            column("answerOffsetSeconds", "s", "its offset"),
            column("answerFrequencySkew", "fraction", "its frequency skew"),
            column("answerTimeSkew", "fraction", "its time skew"),
            column(
                "answerFreeFrequencySkew", "fraction",
                "its frequency skew as measured, no kind of skew assumed"),
            column("answerFreeTimeSkew", "fraction", "its time skew as measured, no kind of skew assumed"),
            column("answerFrequencySkewStandardError", "fraction", "its stated standard error"),
            column("answerTimeSkewStandardError", "fraction", "its stated standard error"),
            column("answerScore", "score", "its score; log-odds for the built-in matcher"),
            column("answerConfidence", "fraction", "its stated probability"),
            column("frequencySkewError", "fraction", "answer minus truth, for correct answers"),
            column("timeSkewError", "fraction", "answer minus truth, for correct answers"),
            column("freeFrequencySkewError", "fraction", "the same as measured"),
            column("freeTimeSkewError", "fraction", "the same as measured"),
            column("strictOffsetErrorSeconds", "s", "answered offset minus true offset, for correct answers"),
            column(
                "offsetErrorSeconds", "s",
                "the same to the nearest place of the same waveform (correlation 0.8)"),
            column(
                "place", "text", "`right` (within 0.5 s), `repetition` (elsewhere, same waveform) or `other`"),
            column("bestReference", "text", "first candidate, accepted or not"),
            column("bestScore", "score", "its score"),
            column("bestConfidence", "fraction", "its stated probability"),
            column("secondBestScore", "score", "score of the second candidate"),
            column("rightRank", "count", "rank of the first right reference among the candidates, from 1"),
            column("snrDecibels", "dB", "measured signal-to-noise ratio over the full band, up to 22.05 kHz"),
            column("snrDecibelsPerChannel", "dB", "the ratio of the mean power of the channels, full band"),
            column("snrDecibelsTo4kHz", "dB", "the same within 0–4 kHz"),
            column("querySampleRate", "Hz", "sample rate of the query"),
            column("queryChannels", "count", "channels of the query"),
            column("queryFrames", "count", "length of the query in frames"),
            column("queryDigest", "text", "SHA-256 of the query's decoded samples"),
            column("redraws", "count", "starts that were rejected because the clip was too quiet"),
            column("chain", "text", "chain of degradations with all drawn values, as JSON"),
            column("matchMilliseconds", "ms", "wall time from samples to answers, for timed trials"),
            column("processorMilliseconds", "ms", "processor time of the matcher in that time"),
        ])

    /// The columns of a rate.
    private static func rate(_ name: String, _ meaning: String, isDrawn: Bool = false) -> [Column] {
        let interval =
            isDrawn ? "interval with the threshold found again in each draw of recordings" : "interval"
        return [
            column("\(name)Count", "count", "numerator of `\(name)`"),
            column("\(name)Of", "count", "denominator of `\(name)`"),
            column(name, "fraction", meaning),
            column("\(name)Lower", "fraction", "lower end of its 95 % \(interval), clustered by class"),
            column("\(name)Upper", "fraction", "upper end of the same"),
            column("\(name)Clusters", "count", "classes in the denominator"),
        ]
            + (isDrawn
                ? []
                : [column("\(name)EffectiveTrials", "count", "independent trials with the same interval")])
    }

    private static func errors(_ name: String, _ suffix: String, _ unit: String, _ meaning: String)
        -> [Column]
    {
        [
            column("\(name)Bias\(suffix)", unit, "mean of \(meaning)"),
            column("\(name)Median\(suffix)", unit, "median magnitude of the same"),
            column("\(name)Percentile95\(suffix)", unit, "95th percentile of the magnitudes"),
            column("\(name)Maximum\(suffix)", unit, "largest magnitude"),
        ]
    }

    private static func latency(_ kind: String, _ meaning: String) -> [Column] {
        [
            column("latency\(kind)Trials", "count", "timed \(meaning); empty below 30"),
            column("latency\(kind)MedianMilliseconds", "ms", "median time from samples to answers"),
            column("latency\(kind)Percentile95Milliseconds", "ms", "95th percentile of the same"),
        ]
    }

    private static let cellKey = [
        column(
            "group", "text",
            "kind of condition: length, noise, skew, sampleRate, format, channel, combination, matrix or other"
        ),
        column("degradation", "text", "family of the plan"),
        column("severity", "text", "strength as printed"),
        column("severityValue", "of the family", "strength as a number"),
        column("lengthSeconds", "s", "requested query length"),
        column("status", "text", "`ok`, `errors` or `not offered`"),
    ]

    private static let outcomes = Outcome.allCases.map {
        column($0.rawValue, "count", "trials with this outcome")
    }

    private static let cellCounts = [
        column("trials", "count", "all trials of the cell"),
        column("positives", "count", "trials of enrolled recordings"),
        column("negatives", "count", "trials of recordings that are not enrolled"),
        column("notOffered", "count", "trials whose format does not exist at that rate"),
        column("errors", "count", "failed trials"),
    ]

    private static let cellBounds = [
        column(
            "falseAcceptRateBound", "fraction",
            "one-sided 95 % upper bound of false accepts, clustered by class"),
        column("distinctNegativeSeconds", "s", "audio in the negatives, overlaps counted once"),
    ]

    private static let cells: File = {
        var columns = cellKey + outcomes + cellCounts
        columns += rate("recall", "correct over positives")
        columns += rate("precision", "right accepted answers over all accepted answers")
        columns += rate("topPrecision", "the same for top answers alone")
        columns += rate("setRecall", "right references accepted over all right references")
        columns += rate("wrongAnswerRate", "trials with a wrong accepted answer at any rank over trials")
        columns += rate("falseAcceptRate", "false accepts over negatives; equal samples count once")
        columns += cellBounds
        columns += rate(
            "recallAtZeroFalseAccepts",
            "recall at the lowest threshold without a false accept or wrong reference in the run",
            isDrawn: true)
        columns += rate("rightTopAnswer", "positives whose first candidate is right, whatever its score")
        columns += rate("placedRecall", "positives found at the right place, of those whose place is known")
        columns += rate("rightPlace", "correct answers at the right place")
        columns += rate("repetition", "correct answers at a repetition")
        columns += errors("frequencySkewError", "", "fraction", "answered minus true frequency skew")
        columns += errors("timeSkewError", "", "fraction", "answered minus true time skew")
        columns += errors("freeFrequencySkewError", "", "fraction", "measured minus true frequency skew")
        columns += errors("freeTimeSkewError", "", "fraction", "measured minus true time skew")
        columns += errors("strictOffsetError", "Seconds", "s", "answered minus true offset")
        columns += errors("offsetError", "Seconds", "s", "the offset error to the nearest same waveform")
        columns += latency("Found", "positives with a right answer") + latency("Unknown", "negatives")
        return File(
            name: "cells.csv",
            rows:
                "One row for each cell, in the order of the plan: the trials of one degradation, severity and length.",
            columns: columns)
    }()

    private static let recordings = File(
        name: "recordings.csv",
        rows:
            "One row for each enrolled recording that queries were cut from, those with the most misses first.",
        columns: [
            column("recording", "text", "name in the corpus"),
            column("sourceClass", "text", "equivalence class"),
            column("album", "text", "folder in the corpus"),
            column("positives", "count", "queries"),
            column("correct", "count", "queries with this outcome"),
            column("wrongReference", "count", "queries with this outcome"),
            column("missed", "count", "queries with this outcome"),
            column("misses", "count", "missed or wrong reference"),
            column("recall", "fraction", "correct over positives"),
            column("recallAtZeroFalseAccepts", "fraction", "as in `cells.csv`"),
            column("rightPlace", "fraction", "correct answers at the right place"),
            column("durationSeconds", "s", "length"),
            column("loudnessDecibels", "dB", "root mean square of the mono mix, of full scale"),
            column("spectralCentroidHertz", "Hz", "mean frequency, weighted by power"),
            column(
                "peaksPerFrame", "count",
                "mean spectral peaks in 0.1 s, within 0–4 kHz and 30 dB of the highest"),
        ])

    private static let reliability = File(
        name: "reliability.csv", rows: "One row for each bin of stated confidence that holds an answer.",
        columns: [
            column("from", "fraction", "lower end of the bin"),
            column("to", "fraction", "upper end of the bin"),
            column("answers", "count", "best candidates in the bin"),
            column("share", "fraction", "their share, weighted to one positive to one negative"),
            column("stated", "fraction", "mean confidence"),
            column("observed", "fraction", "share that was right"),
            column("observedLower", "fraction", "lower end of its 95 % interval"),
            column("observedUpper", "fraction", "upper end of the same"),
        ])

    private static let detection = File(
        name: "det.csv",
        rows: "One row for each corner of the curve, from the threshold that accepts nothing downwards.",
        columns: [
            column("threshold", "score", "lowest accepted score; empty where nothing is accepted"),
            column("falseAcceptRate", "fraction", "negatives accepted"),
            column("missRate", "fraction", "positives without a right answer"),
            column("falseAcceptProbit", "deviates", "the rate on a normal-deviate axis; empty at 0 and 1"),
            column("missProbit", "deviates", "the rate on a normal-deviate axis; empty at 0 and 1"),
        ])

    private static func crossing(_ share: Int) -> [Column] {
        let name = "snrAt\(share)"
        return [
            column(name, "dB", "ratio at which the fit reaches \(share) % recall"),
            column("\(name)Lower", "dB", "lower end of its 95 % interval"),
            column("\(name)Upper", "dB", "upper end of the same"),
            column("\(name)Beyond", "text", "`below` or `above` where that is outside the measured ratios"),
        ]
    }

    private static let noise = File(
        name: "snr.csv", rows: "One row for each noise, query length and ratio.",
        columns: [
            column("noise", "text", "kind of noise"),
            column("lengthSeconds", "s", "query length"),
            column("snrDecibels", "dB", "requested ratio"),
            column("recallCount", "count", "correct answers"),
            column("recallOf", "count", "positives"),
            column("recall", "fraction", "recall as counted"),
            column("recallLower", "fraction", "lower end of its 95 % interval"),
            column("recallUpper", "fraction", "upper end of the same"),
            column("fitted", "fraction", "recall of the fitted curve"),
            column("clusters", "count", "classes in the curve"),
        ] + crossing(50) + crossing(90))

    private static let skew = File(
        name: "skew.csv", rows: "One row for each skew, factor and range of the factor.",
        columns: [
            column("skew", "text", "`frequency` or `time`"),
            column("factor", "text", "what the errors are grouped by"),
            column("range", "text", "the group"),
            column("answers", "count", "correct answers"),
            column("bias", "fraction", "mean error, estimate minus truth"),
            column("meanAbsolute", "fraction", "mean magnitude"),
            column("median", "fraction", "median magnitude"),
            column("percentile95", "fraction", "95th percentile of the magnitudes"),
            column("maximum", "fraction", "largest magnitude"),
            column("yardstick", "fraction", "median magnitude to compare with"),
            column("coverageCount", "count", "errors within 1.96 stated standard errors"),
            column("coverageOf", "count", "answers with a stated standard error"),
            column("coverage", "fraction", "their share"),
            column("coverageLower", "fraction", "lower end of its 95 % interval"),
            column("coverageUpper", "fraction", "upper end of the same"),
        ])

    private static let costs = File(
        name: "costs.csv", rows: "One row for each prior of a positive.",
        columns: [
            column("prior", "fraction", "share of queries of enrolled recordings"),
            column("ownDCF", "ratio", "normalised detection cost at the matcher's own threshold"),
            column("actDCF", "ratio", "the same at the Bayes threshold of the stated confidence"),
            column("minDCF", "ratio", "the same at the best threshold for these answers"),
            column("cllr", "bits", "cost of the stated log-likelihood ratios over all priors"),
            column("minCllr", "bits", "the least of it for any rising function of the score"),
        ])

    private static let retrieval = File(
        name: "retrieval.csv", rows: "One row for all positives, then one for each query length.",
        columns: [
            column("lengthSeconds", "s", "query length; empty for all"),
            column("positives", "count", "queries of enrolled recordings"),
            column("exact", "fraction", "right top candidate within 0.25 s of the place, whatever its score"),
            column("near", "fraction", "the same within 0.5 s"),
            column("far", "fraction", "right top candidate at any place"),
            column("top3", "fraction", "right reference among the first 3 candidates"),
            column("top5", "fraction", "the same for 5"),
            column("top10", "fraction", "the same for 10"),
            column("meanReciprocalRank", "fraction", "mean of 1/rank of the first right reference"),
        ])

    /// The article *Columns of the tables*, in Markdown.
    package static var article: String {
        var text = """
            # Columns of the tables

            What each column of the CSV files of a run means.

            ## Overview

            This article is made from the code: `EARSHOT_RECORD=1 swift test --filter DataDictionaryTests` writes it.

            Files are UTF-8 after RFC 4180, with CR LF line ends. An empty field is a missing value. Latency columns come
            last, so that the rest can be compared between runs byte by byte. `scripts/notebook.py` reads them with pandas.

            """
        for file in files {
            text += "\n## \(file.name)\n\n\(file.rows)\n\n| column | unit | meaning |\n|---|---|---|\n"
            for column in file.columns {
                let meaning = column.meaning.replacing("|", with: "\\|")
                text += "| `\(column.name)` | \(column.unit) | \(meaning) |\n"
            }
        }
        return text
    }
}
