import Evaluation
import Foundation
import Reporting
import Testing

/// Every view of a run has the figures of the list with the same values.
@Suite struct ScoreFigureTests {
    private static let model = ReportModel(records: SampleRun.records(), facts: SampleRun.facts)

    @Test func figuresReferToFigures() {
        let ids = ScoreFigure.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        let names = TrialMeasure.all.map(\.name)
        #expect(Set(names).count == names.count)
        for figure in ScoreFigure.all {
            #expect(!figure.title.isEmpty && !figure.meaning.isEmpty, "\(figure.id)")
            #expect(!figure.sources.isEmpty, "\(figure.id)")
            if let whole = figure.partOf {
                #expect(ScoreFigure.named(whole.id)?.places.contains(.terminal) == true, "\(figure.id)")
            }
        }
    }

    @Test(arguments: ScoreFigure.all) func tablesAndSummaryAgree(_ figure: ScoreFigure) throws {
        let written = try WrittenReport(Self.model)
        let summary = try #require(
            JSONSerialization.jsonObject(with: Data(written.summary.utf8)) as? [String: Any])
        let overall = try #require(summary["overall"] as? [String: Any])
        #expect((overall[figure.key] != nil) == (figure.places.contains(.summary) && figure.hasValue(in: Self.model.overall)))
        if let rate = overall[figure.key] as? [String: Any], let proportion = figure.rate(of: Self.model.overall) {
            #expect(rate["count"] as? Int == proportion.successes)
            #expect(rate["lower"] as? Double == figure.interval(of: Self.model.overall)?.lower)
        }
    }
}
