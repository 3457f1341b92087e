import Evaluation
import Foundation
import Metrics
import Reporting
import Testing

private let sample = ReportModel(records: SampleRun.records(), facts: SampleRun.facts)

/// The keys of `summary.json` that schema 3 brought.
private struct Summary: Decodable {
    struct Estimate: Decodable {
        let value: Double
        let lower: Double
        let upper: Double
        let clusters: Int
        let hasFewClusters: Bool
    }
    struct Separation: Decodable {
        struct Recall: Decodable {
            let falseAcceptRate: Double
            let catalogGrowth: Double
            let evidence: String
            let recall: Estimate
        }
        let equalErrorRate: Estimate
        let recallAtFalseAcceptRate: [Recall]
    }
    struct Noise: Decodable {
        struct Crossing: Decodable {
            let recall: Double
            let snrDecibels: Estimate?
            let beyond: String?
        }
        let noise: String
        let lengthSeconds: Double
        let crossings: [Crossing]
    }
    struct Skew: Decodable {
        let factor: String
        let range: String
        let errors: ErrorSummary
    }
    let schemaVersion: Int
    let separation: Separation?
    let signalToNoise: [Noise]
    let skew: [String: [Skew]]
    let reliability: ReliabilityDiagram?

    init(_ report: WrittenReport) throws {
        self = try JSONDecoder().decode(Summary.self, from: Data(report.summary.utf8))
    }
}

@Test func theSummaryHoldsTheStatistics() throws {
    let summary = try Summary(WrittenReport(sample))
    #expect(summary.schemaVersion == ReportModel.schemaVersion)
    let separation = try #require(summary.separation)
    #expect(separation.equalErrorRate.value == sample.separation?.equalErrorRate?.value)
    #expect(separation.recallAtFalseAcceptRate.count == 8)
    for figure in separation.recallAtFalseAcceptRate {
        let recall = figure.recall
        #expect(recall.lower <= recall.value && recall.value <= recall.upper)
        #expect(recall.clusters == 96 && recall.hasFewClusters)
    }
    #expect(separation.recallAtFalseAcceptRate.first?.evidence == "fittedTail")
    #expect(separation.recallAtFalseAcceptRate.last?.evidence == "beyondData")
    #expect(summary.reliability?.isotonic == sample.reliability?.isotonic)
}

@Test func curvesOfRecallAreOfNoiseAlone() throws {
    let report = try WrittenReport(sample)
    let summary = try Summary(report)
    // Brown noise and other music have two ratios each, which are no curve.
    #expect(
        summary.signalToNoise.map(\.noise) == ["white noise", "pink noise", "babble, voices 6", "ambience"])
    let pink = try #require(summary.signalToNoise.first { $0.noise == "pink noise" })
    #expect(pink.crossings.map(\.recall) == [0.5, 0.9])
    // It was made with 30 % at −9 dB, 66 % at −6 dB, 80 % at −3 dB and 96 % at 0 dB.
    let half = try #require(pink.crossings[0].snrDecibels)
    let most = try #require(pink.crossings[1].snrDecibels)
    #expect((-9 ... -6).contains(half.value) && (-4...1).contains(most.value), "\(half) \(most)")
    let ambience = try #require(summary.signalToNoise.first { $0.noise == "ambience" })
    #expect(ambience.crossings.map(\.beyond) == ["below", "below"])
    let rows = ReadTable(report.noise).rows
    #expect(rows.count == 7 + 6 + 5 + 3)
    for row in rows where row["noise"] == "pink noise" {
        #expect(row["snrAt50"].flatMap(Double.init) == half.value)
        #expect(row["snrAt50Beyond"] == "" && row["lengthSeconds"] == "5.0")
        let cell = try #require(
            sample.cells.first {
                $0.key.degradation == "pink noise"
                    && $0.severityValue == row["snrDecibels"].flatMap(Double.init)
            })
        #expect(row["recallCount"].flatMap { Int($0) } == cell.score.recall.successes)
    }
}

@Test func scorecardsCountEveryAnswerOnceForEachFactor() throws {
    let report = try WrittenReport(sample)
    let rows = ReadTable(report.skew).rows
    #expect(Set(rows.map { $0["skew"] }) == ["frequency", "time"])
    for skew in ["frequency", "time"] {
        let own = rows.filter { $0["skew"] == skew }
        let total = try #require(own.first { $0["factor"] == "all" }?["answers"].flatMap { Int($0) })
        #expect(total == sample.overall.outcomes.correct)
        for factor in ["trueSkew", "length", "signalToNoise"] {
            let counts = own.filter { $0["factor"] == factor }.compactMap {
                $0["answers"].flatMap { Int($0) }
            }
            #expect(counts.count > 1 && counts.reduce(0, +) == total, "\(skew) \(factor) \(counts)")
        }
    }
    let overall = try #require(rows.first { $0["skew"] == "time" && $0["factor"] == "all" })
    #expect(overall["median"].flatMap(Double.init) == sample.overall.measuredTimeSkewError?.medianAbsolute)
    #expect(overall["coverageCount"].flatMap { Int($0) } == sample.overall.timeSkewCoverage.successes)
    let ranges = rows.filter { $0["skew"] == "frequency" && $0["factor"] == "trueSkew" }.map { $0["range"] }
    #expect(ranges == ["−5 to −3 %", "−3 to −1 %", "−1 to 0 %", "0 %", "0 to 1 %", "1 to 3 %", "3 to 5 %"])
}

/// 10 s give a time skew of 0.022 %, the standard deviation of `SkewYardstick` for time.
@Test func theYardstickFollowsItsFormula() throws {
    let card = try #require(sample.skews.first { $0.estimate == .time })
    let row = try #require(card.rows.first { $0.factor == .length && $0.range.hasPrefix("10") })
    #expect(abs(row.yardstick / 0.6745 - 0.005 * (12.0 / 60).squareRoot() / 10) < 1e-12)
    #expect(abs(row.yardstick / 0.6745 - 0.00022) < 1e-5)
}

@Test func theDetectionTableIsTheCurve() throws {
    let report = try WrittenReport(sample)
    let rows = ReadTable(report.detection).rows
    let points = try #require(sample.separation?.curve.points)
    #expect(rows.count == points.count && rows.count > 20)
    for (row, point) in zip(rows, points) {
        #expect(row["threshold"].flatMap(Double.init) == point.threshold)
        #expect(row["missRate"].flatMap(Double.init) == point.missRate)
    }
    #expect(rows.first?["missProbit"] == "" && rows.first?["threshold"] == "")
}

@Test func emptySectionsAreLeftOut() throws {
    let full = try WrittenReport(sample).page
    let positives = try WrittenReport(
        ReportModel(
            records: SampleRun.records().filter {
                $0.trial.isPositive && $0.trial.cell.degradation == "truncation"
            },
            facts: SampleRun.facts)
    ).page
    for section in ["separation", "snr"] {
        #expect(full.contains("<section id=\"\(section)\">") && full.contains("href=\"#\(section)\""))
        #expect(!positives.contains("id=\"\(section)\"") && !positives.contains("href=\"#\(section)\""))
    }
    #expect(positives.contains("<details id=\"skew\">"))
    // 96 recordings are fewer than 100.
    #expect(full.contains("These intervals are of 96 recordings, fewer than 100"))
}

@Test func recallAtZeroFalseAcceptsLiesInItsOwnInterval() throws {
    let scores = [sample.overall] + sample.groups.map(\.score) + sample.cells.map(\.score)
    var rates: Set<Double> = []
    for score in scores where score.recallAtZeroFalseAccepts.trials > 0 {
        let rate = try #require(score.recallAtZeroFalseAccepts.rate)
        let interval = try #require(score.recallAtZeroFalseAcceptsInterval)
        #expect(interval.lower <= rate && rate <= interval.upper)
        rates.insert(rate)
    }
    #expect(rates.count > 5, "intervals of other cells would not hold these")
}

@Test func theSameRecordsGiveTheSameStatistics() throws {
    let first = try WrittenReport(sample)
    let again = try WrittenReport(
        ReportModel(records: SampleRun.records().reversed(), facts: SampleRun.facts))
    #expect(first.summary == again.summary)
    #expect(first.detection == again.detection && first.noise == again.noise && first.skew == again.skew)
}
