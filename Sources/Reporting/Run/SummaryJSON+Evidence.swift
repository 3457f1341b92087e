import Metrics

/// The figures of `summary.json` that look at scores, noise and skew over the whole run.
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

    /// How well scores part right answers from false accepts.
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

    /// Recall against the signal-to-noise ratio.
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

    /// The precision of a skew in one range of a factor.
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
