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
                    record.take(answers(rung, piece))
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
            #expect(rung.ownPiece.rate == 1)
            #expect(rung.observed == (rung.rung == .otherMix ? nil : rung.rung.isSameRecording ? 1 : 0))
            #expect(abs((rung.stated ?? 0) - 0.9) < 1e-9)
        }
    }

    @Test func aMatcherThatAcceptsNothingAcceptsNoRung() {
        for model in [Self.model { [Self.answer($1, score: 20)] }, Self.model { _, _ in [] }] {
            #expect(model.ladder.count == Rung.allCases.count)
            for (rung, _) in model.ladder {
                #expect(rung.accepted.rate == 0 && rung.ownPiece.rate == 0)
                // Twelve pieces do not exclude that one more is accepted.
                #expect((rung.accepted.wilsonInterval()?.upper ?? 0) > 0.1)
            }
        }
    }

    /// A claim of another piece is accepted, but does not name the related reference.
    @Test func anotherPieceIsNotTheRelatedOne() {
        let model = Self.model { [Self.answer(($1 + 1) % Self.pieces, score: 50)] }
        for (rung, _) in model.ladder {
            #expect(rung.ownPiece.rate == 0)
            #expect(rung.accepted.rate == (rung.rung.isSameRecording ? 0 : 1))
        }
    }

    /// Another mix of its piece is neither right nor wrong, whatever is answered; another piece is wrong.
    @Test func aMixIsPermitted() {
        for score in [20.0, 50] {
            let model = Self.model { [Self.answer($1, score: $0 == .otherMix ? score : 20)] }
            #expect(model.overall.permitted == Self.pieces * Self.conditions.count)
            #expect(model.overall.outcomes.falseAccept == 0 && model.overall.notOffered == 0)
        }
        let wrong = Self.model { [Self.answer(($1 + 1) % Self.pieces, score: $0 == .otherMix ? 50 : 20)] }
        #expect(wrong.overall.outcomes.falseAccept == Self.pieces * Self.conditions.count)
        // A confidence about a mix is no error.
        let errors = [20.0, 50].map { score in
            Self.model { [Self.answer($1, score: $0 == .otherMix ? score : 20)] }.ladderCalibrationError
        }
        #expect(errors[0] != nil && errors[0] == errors[1])
    }

    /// A third of the queries of each rung is called related, which no figure of claims counts.
    @Test func relatedAnswersAreCountedApart() throws {
        func model(calling: Bool) -> ReportModel {
            Self.model { rung, piece in
                var other = Self.answer(piece, score: 50)
                other.isRelated = true
                let claims = rung.isSameRecording ? [Self.answer(piece, score: 50)] : []
                return claims + (calling && piece < 4 ? [other] : [])
            }
        }
        let (silent, calling) = (model(calling: false), model(calling: true))
        #expect(calling.overall.outcomes == silent.overall.outcomes)
        #expect(calling.overall.precision.rate == 1 && calling.overall.permitted == silent.overall.permitted)
        let related = Rung.allCases.count(where: \.isRelated)
        #expect(related == 5)
        for (rung, _) in calling.ladder {
            #expect(rung.related.precision.rate == (rung.rung.isRelated ? 1 : 0))
            #expect(rung.related.precision.trials == 4 * Self.conditions.count)
            #expect(rung.related.recall.successes == (rung.rung.isRelated ? 8 : 0))
            #expect(rung.related.recall.trials == (rung.rung.isRelated ? 24 : 0))
        }
        let report = try WrittenReport(calling)
        let table = ReadTable(try #require(report.tables["ladder.csv"]))
        let take = try #require(table.rows.first { $0["rung"] == "other take" })
        #expect(take["relatedPrecision"] == "1.0" && take["relatedRecallCount"] == "8")
        let summary = try #require(
            try JSONSerialization.jsonObject(with: Data(report.summary.utf8)) as? [String: Any])
        let precision = try #require(summary["relatedPrecision"] as? [String: Any])
        #expect(precision["count"] as? Int == related * 8)
        #expect(precision["of"] as? Int == Rung.allCases.count * 8)
        let recall = try #require(summary["relatedRecall"] as? [String: Any])
        #expect(recall["count"] as? Int == related * 8 && recall["of"] as? Int == related * 24)
        #expect(SummaryTable.text(calling).contains("Related, precision"))
        #expect(report.page.contains("An answer “related” is no claim."))
        let other = try WrittenReport(silent)
        #expect(
            !other.summary.contains("\"relatedPrecision\"") && !other.page.contains("An answer “related”"))
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
