import Evaluation
import Foundation
import Metrics

/// `summary.json`: the headline figures with the facts of the run, for programs.
///
/// Keys are sorted and numbers have the fewest digits that read back the same, so that two
/// summaries can be compared line by line. Missing figures are left out.
struct SummaryJSON: Encodable {
    /// A rate with its 95 % Wilson interval for clustered trials.
    struct Rate: Encodable {
        let count: Int
        let of: Int
        let rate: Double?
        let lower: Double?
        let upper: Double?
        let clusters: Int
        let effectiveTrials: Double

        init(_ proportion: Proportion) {
            count = proportion.successes
            of = proportion.trials
            rate = proportion.rate
            let interval = proportion.wilsonInterval()
            lower = interval?.lower
            upper = interval?.upper
            clusters = proportion.clusters
            effectiveTrials = proportion.effectiveTrials
        }
    }

    /// The figures of a set of trials.
    struct Figures: Encodable {
        let trials: Int
        let positives: Int
        let negatives: Int
        let notOffered: Int
        let errors: Int
        let outcomes: [String: Int]
        let recall: Rate
        let precision: Rate
        let falseAcceptRate: Rate
        let falseAcceptRateBound: Double?
        let distinctNegativeSeconds: Double
        let wrongReferenceRate: Rate
        let f1: Double?
        let recallAtZeroFalseAccepts: Rate
        let rightTopAnswer: Rate
        let rightPlace: Rate
        let repetition: Rate
        let frequencySkewError: ErrorSummary?
        let timeSkewError: ErrorSummary?
        let freeFrequencySkewError: ErrorSummary?
        let freeTimeSkewError: ErrorSummary?
        let frequencySkewCoverage: Rate
        let timeSkewCoverage: Rate
        let strictOffsetErrorSeconds: ErrorSummary?
        let offsetErrorSeconds: ErrorSummary?

        init(_ score: Scorecard) {
            trials = score.trials
            positives = score.outcomes.positives
            negatives = score.outcomes.negatives
            notOffered = score.notOffered
            errors = score.errors
            outcomes = Dictionary(
                uniqueKeysWithValues: Outcome.allCases.map { ($0.rawValue, score.outcomes[$0]) })
            recall = Rate(score.recall)
            precision = Rate(score.precision)
            falseAcceptRate = Rate(score.falseAcceptRate)
            falseAcceptRateBound = score.falseAcceptRate.exactUpperBound()
            distinctNegativeSeconds = score.distinctNegativeSeconds
            wrongReferenceRate = Rate(score.wrongReferenceRate)
            f1 = score.outcomes.f1
            recallAtZeroFalseAccepts = Rate(score.recallAtZeroFalseAccepts)
            rightTopAnswer = Rate(score.rightTopAnswers)
            rightPlace = Rate(score.share(of: .right))
            repetition = Rate(score.share(of: .repetition))
            frequencySkewError = score.frequencySkewError
            timeSkewError = score.timeSkewError
            freeFrequencySkewError = score.freeFrequencySkewError
            freeTimeSkewError = score.freeTimeSkewError
            frequencySkewCoverage = Rate(score.frequencySkewCoverage)
            timeSkewCoverage = Rate(score.timeSkewCoverage)
            strictOffsetErrorSeconds = score.strictOffsetError
            offsetErrorSeconds = score.offsetError
        }
    }

    /// The same without the trials whose truth is in doubt.
    struct Undoubted: Encodable {
        let pairs: Int
        let trialsLeftOut: Int
        let figures: Figures
    }

    /// What was measured in time and space; differs from run to run.
    struct Cost: Encodable {
        let latencyMilliseconds: LatencySummary?
        let indexBytes: Int?
        let indexBytesPerHour: Double?
        let enrolmentTimesRealTime: Double?
        let decodingTimesRealTime: Double?
        let stages: StageShares?
    }

    let schemaVersion: Int
    let overall: Figures
    let withoutSuspects: Undoubted?
    let highestWrongScore: Double?
    let reliability: ReliabilityDiagram?
    let separation: Separation?
    let signalToNoise: [Noise]
    let skew: [String: [Skew]]
    let groups: [String: Figures]
    let cost: Cost
    let run: RunFacts

    init(_ model: ReportModel) {
        schemaVersion = ReportModel.schemaVersion
        overall = Figures(model.overall)
        withoutSuspects = model.withoutSuspects.map {
            Undoubted(pairs: $0.pairs, trialsLeftOut: $0.trialsLeftOut, figures: Figures($0.score))
        }
        highestWrongScore = model.zeroFalseAccepts.highestWrongScore
        reliability = model.reliability
        separation = model.separation.map(Separation.init)
        signalToNoise = model.noiseCurves.map(Noise.init)
        skew = Dictionary(
            uniqueKeysWithValues: model.skews.map { ($0.estimate.rawValue, $0.rows.map(Skew.init)) })
        groups = Dictionary(
            uniqueKeysWithValues: model.groups.map { ($0.group.rawValue, Figures($0.score)) })
        cost = Cost(
            latencyMilliseconds: model.overall.latency, indexBytes: model.facts.indexBytes,
            indexBytesPerHour: model.indexBytesPerHour,
            enrolmentTimesRealTime: model.enrolmentTimesRealTime,
            decodingTimesRealTime: model.decodingTimesRealTime, stages: StageShares(model.facts))
        run = model.facts
    }

    static func text(_ model: ReportModel) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // A score may be infinite where a matcher knows the answer; JSON has no number for that.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return String(decoding: try encoder.encode(SummaryJSON(model)), as: UTF8.self) + "\n"
    }
}
