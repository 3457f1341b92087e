import Corpora
import Foundation
import Reporting
import Testing

@Suite struct SuspectTests {
    private static let records = SampleRun.records(positives: 6, negatives: 3)

    private static func list(
        _ first: String, judgement: SuspectList.Judgement = .open
    ) -> SuspectList {
        var list = SuspectList().updated(with: [
            AuditFinding(
                kind: .sharedSection, verdict: .suspect, first: first, second: "elsewhere", firstSeconds: 0,
                secondSeconds: 0, lengthSeconds: 1000, timeSkew: 0, correlation: 0.5, isKnown: false)
        ])
        list.entries[0].judgement = judgement
        return list
    }

    @Test func figuresAppearWithAndWithoutSuspects() throws {
        let source = try #require(Self.records.first { $0.trial.isPositive && $0.isOffered }).trial
            .source
        let doubtful = Self.records.filter { $0.trial.source == source && $0.isOffered }
        let model = ReportModel(
            records: Self.records, facts: SampleRun.facts, suspects: Self.list(source))
        let without = try #require(model.withoutSuspects)
        #expect(without.pairs == 1)
        #expect(without.trialsLeftOut == doubtful.count && doubtful.count > 0)
        #expect(without.score.trials == model.overall.trials - doubtful.count)
        let expected = ReportModel(
            records: Self.records.filter { $0.trial.source != source || !$0.isOffered },
            facts: SampleRun.facts
        ).overall
        #expect(without.score.outcomes == expected.outcomes)
        #expect(without.score.recallAtZeroFalseAccepts.rate == expected.recallAtZeroFalseAccepts.rate)

        let report = try WrittenReport(model)
        let json = try JSONSerialization.jsonObject(with: Data(report.summary.utf8)) as? [String: Any]
        let part = try #require(json?["withoutSuspects"] as? [String: Any])
        #expect(part["trialsLeftOut"] as? Int == doubtful.count)
        let recall = try #require((part["figures"] as? [String: Any])?["recall"] as? [String: Any])
        #expect(recall["of"] as? Int == without.score.recall.trials)
        #expect(report.page.contains("<h2>Without suspects</h2>"))
        #expect(SummaryTable.text(model).contains("Without suspects"))
    }

    @Test func clearedPairsCount() throws {
        let source = try #require(Self.records.first).trial.source
        let model = ReportModel(
            records: Self.records, facts: SampleRun.facts,
            suspects: Self.list(source, judgement: .different))
        let without = try #require(model.withoutSuspects)
        #expect(without.pairs == 0 && without.trialsLeftOut == 0)
        #expect(without.score.outcomes == model.overall.outcomes)
    }

    @Test func thereIsNoSectionWithoutAList() throws {
        let model = ReportModel(records: Self.records, facts: SampleRun.facts)
        #expect(model.withoutSuspects == nil)
        let report = try WrittenReport(model)
        #expect(!report.page.contains("Without suspects") && !report.summary.contains("withoutSuspects"))
        #expect(!SummaryTable.text(model).contains("suspects"))
    }
}
