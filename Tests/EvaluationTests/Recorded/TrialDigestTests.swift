import Evaluation
import EvaluationTestSupport
import Testing

/// A trial is known by its query, truth and catalog.
@Suite struct TrialDigestTests {
    private static let head = "query,reference,offsetSeconds\n"
    private static let rows = ["q0.wav,r0,2.5\n", "q1.wav,r1,6.25\n", "stranger.wav,,\n"]

    private func digests(_ plan: Plan) -> [String: String] {
        Dictionary(uniqueKeysWithValues: zip(plan.trials.map { $0.recorded?.name ?? "" }, plan.trialDigests))
    }

    @Test func orderAndFurtherRowsChangeNone() throws {
        let folder = try RecordedFolder()
        let whole = try digests(folder.plan(Self.head + Self.rows.joined()))
        #expect(Set(whole.values).count == 3)
        #expect(try digests(folder.plan(Self.head + Self.rows.reversed().joined())) == whole)
        let fewer = try digests(folder.plan(Self.head + Self.rows[1...].joined()))
        #expect(fewer == whole.filter { $0.key != "q0.wav" })
    }

    @Test func anotherTruthOrCatalogChangesThem() throws {
        let folder = try RecordedFolder()
        let before = try digests(folder.plan(Self.head + Self.rows.joined()))
        let moved = try digests(
            folder.plan(Self.head + Self.rows.joined().replacing("6.25", with: "6.5")))
        #expect(moved.filter { before[$0.key] != $0.value }.map(\.key) == ["q1.wav"])
        let enrolled = try digests(folder.plan(Self.head + Self.rows.joined(), references: "r0\nr1\n"))
        #expect(enrolled.allSatisfy { before[$0.key] != $0.value })
    }
}
