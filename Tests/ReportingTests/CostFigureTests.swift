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
        let cost = try #require(figures.logLikelihoodRatioCost)
        #expect(try #require(figures.minimumLogLikelihoodRatioCost) <= cost.value)
        #expect(cost.interval.contains(cost.value) && cost.interval.lower < cost.interval.upper)
        #expect(figures.identification == Self.model.overall.rightTopAnswers)
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
        let (least, other) = (
            try #require(figures.minimumLogLikelihoodRatioCost),
            try #require(stated.minimumLogLikelihoodRatioCost)
        )
        #expect(abs(least - other) < 1e-9)
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
        // No answer is wrong, so there is nothing that a confidence could tell apart.
        #expect(figures.minimumLogLikelihoodRatioCost == nil && figures.logLikelihoodRatioCost == nil)
        #expect(figures.identification.rate == 1)
        #expect(figures.costs.allSatisfy { $0.minimum == 0 && $0.own == 0 })
    }

    /// A matcher that is surer of one right rejection is no worse, and no better by much.
    @Test func noSingleAnswerDecidesTheCostOfConfidences() throws {
        let records = SampleRun.records(positives: 4, negatives: 4)
        let place = try #require(
            records.firstIndex { !$0.trial.isPositive && $0.candidates.first?.confidence != nil })
        func cost(_ confidence: Double) throws -> Double {
            var records = records
            records[place].candidates[0].confidence = confidence
            return try #require(
                ReportModel(records: records, facts: SampleRun.facts).costs?.logLikelihoodRatioCost
            ).value
        }
        let costs = try [1e-2, 1e-4, 1e-9, 0].map(cost)
        #expect(costs == costs.sorted(by: >))
        #expect(try #require(costs.first) - (try #require(costs.last)) < 0.001)
    }

    /// What is missing is a figure of its own, so leaving queries without an answer changes no cost of confidences.
    @Test func queriesWithoutAnAnswerStateNothing() throws {
        let records = SampleRun.records(positives: 4, negatives: 4)
        let before = try #require(ReportModel(records: records, facts: SampleRun.facts).costs)
        var silent = records
        let place = try #require(
            silent.firstIndex {
                $0.trial.isPositive && $0.candidates.first?.referenceID == $0.truthReferences.first
            })
        // A query more, without an answer.
        var more = silent[place]
        more.trial.id += " again"
        more.trial.index = silent.count
        more.candidates = []
        silent.append(more)
        let after = try #require(ReportModel(records: silent, facts: SampleRun.facts).costs)
        #expect(after.logLikelihoodRatioCost?.value == before.logLikelihoodRatioCost?.value)
        #expect(after.identification.trials == before.identification.trials + 1)
        #expect(after.identification.successes == before.identification.successes)
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
