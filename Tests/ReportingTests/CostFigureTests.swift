import Evaluation
import Matchers
import Reporting
import Testing

@Suite struct CostFigureTests {
    private static let model = ReportModel(records: SampleRun.records(), facts: SampleRun.facts)

    @Test func theBestThresholdCostsLeastAndTheTableSaysSo() throws {
        let figures = try #require(Self.model.costs)
        #expect(figures.costs.map(\.prior) == CostFigures.priors)
        for cost in figures.costs {
            #expect(cost.minimum <= cost.own + 1e-12 && cost.minimum <= 1)
            #expect(try cost.minimum <= #require(cost.actual) + 1e-12)
        }
        #expect(try figures.minimumLogLikelihoodRatioCost <= #require(figures.logLikelihoodRatioCost))
        let rows = ReadTable(try #require(WrittenReport(Self.model).tables["costs.csv"])).rows
        #expect(rows.map { $0["minDCF"].flatMap(Double.init) } == figures.costs.map(\.minimum))
    }

    @Test func aMatcherWithoutConfidenceHasMinimumCostsOnly() throws {
        let records = SampleRun.records(positives: 4, negatives: 2).map { record in
            var record = record
            for index in record.candidates.indices { record.candidates[index].confidence = nil }
            return record
        }
        let figures = try #require(ReportModel(records: records, facts: SampleRun.facts).costs)
        #expect(figures.logLikelihoodRatioCost == nil && figures.costs.allSatisfy { $0.actual == nil })
        let stated = try #require(
            ReportModel(
                records: SampleRun.records(positives: 4, negatives: 2), facts: SampleRun.facts
            ).costs)
        // The confidence of the sample is a rising function of the score.
        #expect(
            abs(figures.minimumLogLikelihoodRatioCost - stated.minimumLogLikelihoodRatioCost) < 1e-9)
    }

    /// The right answers alone are named, with certainty.
    @Test func aMatcherThatKnowsTheTruthCostsNothingAtTheBestThreshold() throws {
        let records = SampleRun.records(positives: 3, negatives: 2).map { record in
            var record = record
            record.candidates = record.truthReferences.prefix(1).map {
                Candidate(
                    referenceID: $0, offsetSeconds: 0, score: .infinity, confidence: 1, isAccepted: true)
            }
            return record
        }
        let figures = try #require(ReportModel(records: records, facts: SampleRun.facts).costs)
        #expect(figures.minimumLogLikelihoodRatioCost == 0)
        #expect(figures.costs.allSatisfy { $0.minimum == 0 && $0.own == 0 })
    }

    @Test func ranksWidenFromExactToTop10() throws {
        let figures = Self.model.retrieval
        let positives = Self.model.overall.outcomes.positives
        #expect(figures[0].lengthSeconds == nil && figures[0].far.trials == positives)
        #expect(figures.dropFirst().reduce(0) { $0 + $1.far.trials } == positives)
        for one in figures {
            let hits =
                [one.exact, one.near, one.far].map(\.successes)
                + RetrievalFigures.ranks.compactMap { one.top[$0]?.successes }
            #expect(hits == hits.sorted() && hits.count == 6)
            let reciprocal = try #require(one.meanReciprocalRank)
            #expect(try reciprocal >= #require(one.far.rate) && reciprocal <= 1)
        }
        #expect(figures[0].far == Self.model.overall.rightTopAnswers)
    }

    @Test func theRightPlaceIsARateBesideRecall() throws {
        let score = Self.model.overall
        #expect(score.placedRecall.trials == score.outcomes.positives)
        #expect(score.placedRecall.successes == score.share(of: .right).successes)
        #expect(score.placedRecall.successes < score.recall.successes)
        #expect(SummaryTable.text(Self.model).contains("  at the right place"))
    }
}
