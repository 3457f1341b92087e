import Evaluation
import Foundation
import Metrics
import SystemIO

/// `trials.csv`: one row for each trial, in the order of the plan.
///
/// Skews and their errors are fractions, offsets are seconds. The latency columns come last, so that the others can be
/// compared between runs byte by byte.
enum TrialsCSV {
    static func text(_ model: ReportModel) -> String { table.text(model.trials) }

    private typealias Column = CSVTable<JudgedTrial>.Column

    private static var table: CSVTable<JudgedTrial> {
        CSVTable(condition + judgement + truth + answer + query + latency)
    }

    private static var condition: [Column] {
        [
            Column("trial", text: { $0.record.trial.id }),
            Column("degradation", text: { $0.record.trial.cell.degradation }),
            Column("severity", text: { $0.record.trial.cell.severity }),
            Column("severityValue", number: { $0.record.trial.cell.severityValue }),
            Column("lengthSeconds", number: { $0.record.trial.cell.lengthSeconds }),
            Column("kind", text: { $0.record.trial.isPositive ? "positive" : "negative" }),
            Column("source", text: { $0.record.trial.source }),
            Column("sourceClass", text: { $0.record.sourceClass }),
            Column("sourceStartSeconds", number: { $0.record.sourceStartSeconds }),
            Column("sourceEndSeconds", number: { $0.record.sourceEndSeconds }),
            Column("fold", count: { $0.record.trial.fold }),
        ]
    }

    private static var judgement: [Column] {
        [
            Column("outcome", text: { $0.outcome?.rawValue }),
            Column("isRight", flag: { $0.outcome?.isRight }),
            Column("offered", flag: { $0.record.isOffered }),
            Column("error", text: { $0.record.error }),
        ]
    }

    private static var truth: [Column] {
        [
            Column("truthReferences", text: { $0.record.truthReferences.joined(separator: "|") }),
            Column("truthOffsetSeconds", number: { $0.record.truth?.offsetSeconds }),
            Column("truthFrequencySkew", number: { $0.record.truth?.frequencySkew }),
            Column("truthTimeSkew", number: { $0.record.truth?.timeSkew }),
            Column("truthSkewChangePerSecond", number: { $0.record.truth?.skewChangePerSecond }),
        ]
    }

    private static var answer: [Column] {
        [
            Column("acceptedAnswers", count: { $0.accepted.count }),
            Column("wrongAnswers", count: { $0.wrongAnswers }),
            Column("answerReference", text: { $0.claim?.referenceID }),
            Column("answerOffsetSeconds", number: { $0.claim?.offsetSeconds }),
            Column("answerFrequencySkew", number: { $0.claim?.frequencySkew }),
            Column("answerTimeSkew", number: { $0.claim?.timeSkew }),
            Column("answerFreeFrequencySkew", number: { $0.claim?.freeFrequencySkew }),
            Column("answerFreeTimeSkew", number: { $0.claim?.freeTimeSkew }),
            Column("answerFrequencySkewStandardError", number: { $0.claim?.frequencySkewStandardError }),
            Column("answerTimeSkewStandardError", number: { $0.claim?.timeSkewStandardError }),
            Column("answerScore", number: { $0.claim?.score }),
            Column("answerConfidence", number: { $0.claim?.confidence }),
            Column("frequencySkewError", number: { $0.frequencySkewError }),
            Column("timeSkewError", number: { $0.timeSkewError }),
            Column("freeFrequencySkewError", number: { $0.freeFrequencySkewError }),
            Column("freeTimeSkewError", number: { $0.freeTimeSkewError }),
            Column("strictOffsetErrorSeconds", number: { $0.strictOffsetErrorSeconds }),
            Column("offsetErrorSeconds", number: { $0.offsetErrorSeconds }),
            Column("place", text: { $0.place?.rawValue }),
            Column("bestReference", text: { $0.record.candidates.first?.referenceID }),
            Column("bestScore", number: { $0.record.candidates.first?.score }),
            Column("bestConfidence", number: { $0.record.candidates.first?.confidence }),
            Column("secondBestScore", number: { $0.record.candidates.dropFirst().first?.score }),
            Column("rightRank", count: { $0.rightRank }),
        ]
    }

    private static var query: [Column] {
        [
            Column("snrDecibels", number: { $0.record.query?.snrDecibels }),
            Column("snrDecibelsPerChannel", number: { $0.record.query?.snrDecibelsPerChannel }),
            Column("snrDecibelsTo4kHz", number: { $0.record.query?.snrDecibelsTo4kHz }),
            Column("querySampleRate", count: { $0.record.query?.sampleRate ?? 0 }),
            Column("queryChannels", count: { $0.record.query?.channelCount ?? 0 }),
            Column("queryFrames", count: { $0.record.query?.frameCount ?? 0 }),
            Column("queryDigest", text: { $0.record.query?.digest }),
            Column("redraws", count: { $0.record.query?.redraws ?? 0 }),
            Column("chain", text: { $0.record.trial.chain.json }),
        ]
    }

    private static var latency: [Column] {
        [
            Column("matchMilliseconds", number: { $0.record.latency?.milliseconds }),
            Column("processorMilliseconds", number: { $0.record.latency?.processorMilliseconds }),
        ]
    }
}

/// Every raw outcome as a line of JSON: the query, its truth and all candidates.
///
/// Equal outcomes give equal bytes: keys are sorted, trials are in the order of the plan, and latency is left out.
package enum OutcomesJSONL {
    package static func write(_ records: [TrialRecord], to path: String) throws {
        let encoder = JSONText.encoder()
        try AtomicFile.write(to: path) { file in
            for record in records {
                let line = try encoder.encode(record.withoutCircumstances) + Data("\n".utf8)
                try line.withUnsafeBytes { try file.append($0) }
            }
        }
    }
}
