import Evaluation
import Foundation
import Metrics
import Reporting
import Testing

@Suite struct ThresholdPanelTests {
    private typealias Prices = (prior: Double, falseAccept: Double, miss: Double, wrongReference: Double?)

    private static let prices: Prices = (0.5, 1, 1, nil)

    private static func text(
        _ records: [TrialRecord], falseAccepts: Double? = nil, confidence: Double? = nil,
        conditions: [String] = []
    ) throws -> ThresholdText {
        try ThresholdText(
            records, SampleRun.facts, falseAccepts: falseAccepts, confidence: confidence,
            conditions: conditions, prices: prices)
    }

    private static func row(_ goal: String, _ text: ThresholdText) throws -> [String: String] {
        try #require(ReadTable(text.csv).rows.first { $0["goal"] == goal })
    }

    @Test func theOwnDecisionHasTheFiguresOfTheRun() throws {
        let records = SampleRun.records()
        let score = ReportModel(records: records, facts: SampleRun.facts).overall
        let row = try Self.row("own", Self.text(records))
        #expect(row["recall"].flatMap(Double.init) == score.recall.rate)
        #expect(row["falseAcceptRate"].flatMap(Double.init) == score.falseAcceptRate.rate)
        #expect(row["wrongReferenceRate"].flatMap(Double.init) == score.wrongReferenceRate.rate)
        #expect(row["precision"].flatMap(Double.init) == score.precision.rate)
    }

    @Test func everyFigureIsInEveryForm() throws {
        let text = try Self.text(SampleRun.records(), falseAccepts: 0.02)
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(text.json().utf8)) as? [String: Any])
        let thresholds = try #require(json["thresholds"] as? [String: Any])
        let rows = try #require(thresholds["rows"] as? [[String: Any]])
        let columns = Set(ReadTable(text.csv).columns)
        for figure in ThresholdFigure.all {
            #expect(text.plain.contains(figure.title) && columns.contains(figure.id))
            #expect(columns.isSuperset(of: ["\(figure.id)Lower", "\(figure.id)Upper"]))
            #expect(rows.allSatisfy { $0[figure.id] != nil })
        }
        // The own decision, the usual rates with the wanted one, and the least cost.
        #expect(rows.count == 1 + ThresholdTable.usualRates.count + 1 + 1)
        #expect(text.plain.contains("about 2 % false accepts"))
        let written = try WrittenReport(ReportModel(records: SampleRun.records(), facts: SampleRun.facts))
        #expect(
            ReadTable(try #require(written.tables["thresholds.csv"])).columns == ReadTable(text.csv).columns)
    }

    /// A lower rate of false accepts takes a higher threshold and accepts fewer positives, rightly or wrongly.
    @Test func theTableRisesFromRateToRate() throws {
        let rows = try ReadTable(Self.text(SampleRun.records()).csv).rows.filter {
            $0["goal"] == "falseAccepts"
        }
        let thresholds = rows.compactMap { $0["threshold"].flatMap(Double.init) }
        #expect(thresholds == thresholds.sorted() && thresholds.count > 2)
        let sweep = try ReadTable(Self.text(SampleRun.records()).csv).rows.filter { $0["goal"] == "" }
        let accepted = sweep.compactMap { row -> Double? in
            guard let right = row["recall"].flatMap(Double.init),
                let wrong = row["wrongReferenceRate"].flatMap(Double.init)
            else { return nil }
            return ((right + wrong) * 1e9).rounded()
        }
        #expect(accepted == accepted.sorted() && accepted.count == sweep.count && sweep.count > 10)
    }

    @Test func tooFewNegativesAreSaidWithTheNumberThatIsNeeded() throws {
        let few = try Self.text(SampleRun.records(positives: 4, negatives: 1), falseAccepts: 0.001).plain
            .replacing("\n", with: " ").replacing(#/ +/#, with: " ")
        #expect(few.contains("cannot show a rate of 0.1 %"), "\(few)")
        #expect(few.contains("about 2,995 negatives"), "\(few)")
        let loose = try Self.text(SampleRun.records(), falseAccepts: 0.5).plain
        #expect(!loose.contains("cannot show"))
    }

    @Test func aBoundIsStatedOrSaidToBeOutOfReach() throws {
        let records = SampleRun.records()
        func words(_ share: Double) throws -> String {
            try Self.text(records, falseAccepts: share, confidence: 0.9).plain
                .replacing("\n", with: " ").replacing(#/ +/#, with: " ")
        }
        let kept = try words(0.9)
        #expect(kept.contains("at most 90 % false accepts, 90 % confidence"), "\(kept)")
        #expect(kept.contains("Among as many of other recordings the rate is at most"))
        let few = try words(0.001)
        #expect(few.contains("cannot show a rate of 0.1 %") && few.contains("accept nothing"), "\(few)")
        #expect(few.contains("on as many other recordings may be up to"))
        let row = try Self.row("boundedFalseAccepts", Self.text(records, falseAccepts: 0.9, confidence: 0.9))
        #expect(row["confidence"] == "0.9" && row["wantedFalseAcceptRate"] == "0.9")
        #expect(row["threshold"].flatMap(Double.init) != nil)
    }

    @Test func runsThatCannotTellSaySo() throws {
        let records = SampleRun.records(positives: 4, negatives: 2)
        let positives = try Self.text(records.filter(\.trial.isPositive), falseAccepts: 0.001)
        #expect(positives.plain.contains("no negatives"))
        let negatives = try Self.text(records.filter { !$0.trial.isPositive })
        #expect(negatives.plain.contains("no positives"))
        let alone = try Self.text(
            records.map { record in
                var record = record
                record.sourceClass = "one"
                return record
            })
        #expect(alone.plain.contains("All queries come from one recording"))
        let equal = try Self.text(
            records.map { record in
                var record = record
                for index in record.candidates.indices { record.candidates[index].score = 1 }
                return record
            }, falseAccepts: 0)
        #expect(equal.plain.contains("same score") && equal.plain.contains("accept nothing"))
        let odd = try Self.text(
            records.map { record in
                var record = record
                for index in record.candidates.indices { record.candidates[index].score = .nan }
                return record
            })
        #expect(!odd.csv.contains("nan"))
        for text in [positives, negatives, alone, equal, odd] { _ = try text.json() }
        #expect(throws: MeasurementError.self) { try Self.text([]) }
    }

    @Test func aConditionIsChosenByNameSeverityOrCell() throws {
        let records = SampleRun.records(positives: 4, negatives: 2)
        let cell = try #require(records.first { !$0.trial.cell.severity.isEmpty }).trial.cell
        func count(_ name: String) throws -> Int {
            let row = try Self.row("own", Self.text(records, conditions: [name]))
            return try #require(row["recallOf"].flatMap(Int.init))
        }
        let all = try count(cell.degradation)
        let severity = try count("\(cell.degradation) \(cell.severity)")
        #expect(severity >= 4 && all > severity)
        let error = #expect(throws: MeasurementError.self) { try count("\(cell.degradation)s") }
        #expect(error?.description.contains("Did you mean \"\(cell.degradation)\"") == true)
    }
}
