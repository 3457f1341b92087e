import Corpora
import Evaluation
import Foundation
import Matchers
import Reporting
import Testing

/// The ladder of relatedness in every form of the report.
@Suite struct LadderReportTests {
    private static let pieces = 12
    private static let conditions = ["clean", "noise"]

    /// One query of each piece on each rung in each condition; `answers` decides what the matcher claims.
    private static func model(_ answers: (Rung, _ piece: Int) -> [Candidate]) -> ReportModel {
        var records: [TrialRecord] = []
        for rung in Rung.allCases {
            for condition in conditions {
                for piece in 0..<pieces {
                    let source = "p/\(piece)@\(rung.rendition.rawValue)"
                    var record = SampleRun.record(
                        "\(rung.rawValue)/\(condition)/\(piece)", records.count,
                        Cell(
                            degradation: rung.rawValue, severity: condition, severityValue: nil,
                            lengthSeconds: 10, rung: rung),
                        isPositive: rung.isSameRecording, source: source, references: [reference(piece)],
                        truth: Truth(offsetSeconds: 1, frequencySkew: 0, timeSkew: 0, skewChangePerSecond: 0))
                    record.sourceClass = "p/\(piece)@edit"
                    record.candidates = answers(rung, piece)
                    records.append(record)
                }
            }
        }
        var facts = SampleRun.facts
        facts.scoreThreshold = 36
        return ReportModel(records: records, facts: facts)
    }

    private static func reference(_ piece: Int) -> String { "p/\(piece)@reference" }

    private static func answer(_ piece: Int, score: Double) -> Candidate {
        Candidate(
            referenceID: reference(piece), offsetSeconds: 1, frequencySkew: 0, timeSkew: 0, score: score,
            confidence: score > 36 ? 0.9 : 0.1, isAccepted: score > 36)
    }

    @Test func aMatcherThatAcceptsEverythingAcceptsEachRungWhole() {
        let model = Self.model { [Self.answer($1, score: 50)] }
        #expect(model.ladder.map(\.all.rung) == Rung.allCases)
        for (rung, conditions) in model.ladder {
            #expect(rung.accepted.rate == 1 && rung.accepted.clusters == Self.pieces)
            #expect(rung.accepted.trials == Self.pieces * Self.conditions.count)
            #expect(conditions.map(\.condition) == Self.conditions)
            #expect(conditions.allSatisfy { $0.accepted.rate == 1 })
            #expect(rung.related.rate == 1)
            #expect(rung.observed == (rung.rung.isSameRecording ? 1 : 0))
            #expect(abs((rung.stated ?? 0) - 0.9) < 1e-9)
        }
    }

    @Test func aMatcherThatAcceptsNothingAcceptsNoRung() {
        for model in [Self.model { [Self.answer($1, score: 20)] }, Self.model { _, _ in [] }] {
            #expect(model.ladder.count == Rung.allCases.count)
            for (rung, _) in model.ladder {
                #expect(rung.accepted.rate == 0 && rung.related.rate == 0)
                // Twelve pieces do not exclude that one more is accepted.
                #expect((rung.accepted.wilsonInterval()?.upper ?? 0) > 0.1)
            }
        }
    }

    /// A claim of another piece is accepted, but does not name the related reference.
    @Test func anotherPieceIsNotTheRelatedOne() {
        let model = Self.model { [Self.answer(($1 + 1) % Self.pieces, score: 50)] }
        for (rung, _) in model.ladder {
            #expect(rung.related.rate == 0)
            #expect(rung.accepted.rate == (rung.rung.isSameRecording ? 0 : 1))
        }
    }

    @Test func everyFormShowsTheLadder() throws {
        let model = Self.model { rung, piece in
            [Self.answer(piece, score: rung.isSameRecording || piece < 3 ? 50 : 20)]
        }
        let report = try WrittenReport(model)
        let table = ReadTable(try #require(report.tables["ladder.csv"]))
        #expect(table.rows.count == Rung.allCases.count * (1 + Self.conditions.count))
        let other = try #require(table.rows.first { $0["rung"] == "other sounds" })
        #expect(other["accepted"] == "0.25" && other["acceptedOf"] == "24" && other["pieces"] == "12")
        #expect(other["isSameRecording"] == "false" && other["relatedCount"] == "6")
        for rung in Rung.allCases {
            #expect(report.page.contains("<th scope=\"row\">\(rung.rawValue)</th>"))
        }
        #expect(SummaryTable.text(model).contains("other tempo and key"))
    }

    @Test func aRunWithoutALadderShowsNone() throws {
        let model = ReportModel(
            records: SampleRun.records(positives: 2, negatives: 1), facts: SampleRun.facts)
        #expect(model.ladder.isEmpty)
        let report = try WrittenReport(model)
        #expect(!report.page.contains("id=\"ladder\""))
        #expect(ReadTable(try #require(report.tables["ladder.csv"])).rows.isEmpty)
    }
}
