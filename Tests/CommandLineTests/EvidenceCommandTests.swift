import Foundation
import TestSupport
import Testing

/// `earshot evidence`: what a matcher measured of each place, with what is true of it.
@Suite(.serialized) struct EvidenceCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try """
        name: t
        corpus: synthetic
        seed: 9
        positives: 3
        negatives: 2
        lengthSeconds: 2
        families: [{name: clean}, {name: noise, chain: [{noise: {colour: pink, snrDecibels: 0}}]}]
        """.write(toFile: folder.file("t.yaml"), atomically: true, encoding: .utf8)
    }

    private func evidence(_ more: String...) throws -> EarshotProcess {
        try EarshotProcess(arguments: ["evidence", "--plan", folder.file("t.yaml")] + more)
    }

    private func rows(_ text: String) -> [[String: String]] {
        let lines = text.split(separator: "\r\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        return lines.dropFirst().map { line in
            Dictionary(uniqueKeysWithValues: zip(lines[0], line).map { (String($0), String($1)) })
        }
    }

    @Test func aRowSaysWhatIsTrueOfItsPlace() throws {
        let run = try evidence()
        #expect(run.status == 0, "\(run.errors)")
        let rows = rows(run.output)
        let kinds = Dictionary(grouping: rows) { $0["kind"] ?? "" }
        #expect(Set(kinds.keys) == ["positive", "negative"])
        // No reference is right for a negative, and the best place of a clean query is.
        #expect(kinds["negative"]?.allSatisfy { $0["truth"] == "other" } == true)
        let clean = (kinds["positive"] ?? []).filter {
            $0["degradation"] == "clean" && $0["isChosen"] == "true"
        }
        for (_, places) in Dictionary(grouping: clean, by: { $0["trial"] ?? "" }) {
            #expect(
                places.first?["truth"] == "right" && places.first?["reference"] == places.first?["source"])
        }
        #expect(rows.allSatisfy { $0["half"] == "test" && $0["matcher"]?.hasPrefix("earshot ") == true })
    }

    @Test func rowsAreTheSameOnOneCoreAndTwo() throws {
        #expect(try evidence("--jobs", "1").output == evidence("--jobs", "2").output)
    }

    @Test func aMatcherWithoutEvidenceIsRefused() throws {
        let run = try evidence("--matcher", "oracle")
        #expect(run.status != 0 && run.output.isEmpty)
        #expect(run.errors.contains("the matcher oracle does not state its evidence"))
    }
}
