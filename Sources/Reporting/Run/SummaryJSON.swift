import Evaluation
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
            falseAcceptRateBound = score.falseAcceptRate.upperBound()
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

    /// The figures without suspect trials.
    struct Undoubted: Encodable {
        let pairs: Int
        let trialsLeftOut: Int
        let figures: Figures
    }

    /// Time and space; they differ from run to run.
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

    static func text(_ model: ReportModel) throws -> String { try JSONText.pretty(SummaryJSON(model)) }
}

/// The figures about scores, noise and skew over the whole run.
extension SummaryJSON {
    /// A figure with its interval by bootstrap.
    struct Estimate: Encodable {
        let value: Double
        let lower: Double
        let upper: Double
        let clusters: Int
        /// Whether the interval is likely too narrow, as it rests on fewer than 100 clusters.
        let hasFewClusters: Bool

        init(_ estimate: ClusteredEstimate) {
            value = estimate.value
            lower = estimate.interval.lower
            upper = estimate.interval.upper
            clusters = estimate.clusters
            hasFewClusters = estimate.hasFewClusters
        }
    }

    /// How well scores separate right answers from false accepts.
    struct Separation: Encodable {
        struct Recall: Encodable {
            let falseAcceptRate: Double
            let catalogGrowth: Double
            let rateInRun: Double
            let scoreLimit: Double?
            let evidence: String
            let recall: Estimate
        }

        let equalErrorRate: Estimate?
        let recallAtFalseAcceptRate: [Recall]

        init(_ figures: SeparationFigures) {
            equalErrorRate = figures.equalErrorRate.map(Estimate.init)
            recallAtFalseAcceptRate = figures.recalls.map {
                Recall(
                    falseAcceptRate: $0.falseAcceptRate, catalogGrowth: $0.catalogGrowth,
                    rateInRun: $0.rateInRun, scoreLimit: $0.scoreLimit, evidence: $0.evidence.rawValue,
                    recall: Estimate($0.recall))
            }
        }
    }

    struct Noise: Encodable {
        struct Crossing: Encodable {
            let recall: Double
            let snrDecibels: Estimate?
            /// `below` or `above` where it lies outside the measured ratios.
            let beyond: String?
        }

        let noise: String
        let lengthSeconds: Double
        let fit: PsychometricCurve?
        let crossings: [Crossing]

        init(_ curve: NoiseCurve) {
            noise = curve.noise
            lengthSeconds = curve.lengthSeconds
            fit = curve.recall.fit
            crossings = zip(NoiseCurve.wantedRecalls, curve.crossings).map { recall, crossing in
                Crossing(
                    recall: recall, snrDecibels: crossing?.estimate.map(Estimate.init),
                    beyond: crossing?.beyond)
            }
        }
    }

    struct Skew: Encodable {
        let factor: String
        let range: String
        let errors: ErrorSummary
        let coverage: Rate
        let yardstick: Double

        init(_ row: SkewScorecard.Row) {
            factor = row.factor.rawValue
            range = row.range.replacing(NumberText.blank, with: " ")
            errors = row.errors
            coverage = Rate(row.coverage)
            yardstick = row.yardstick
        }
    }
}
