import AudioCore
import Evaluation
import Foundation
import TestSupport
import Testing

@Suite struct BaselineTests {
    private let sample = GateSample(positives: [("a", "ccmwcm"), ("b", "cc")], negatives: "rrf")

    @Test func everyResultReadsBack() throws {
        for character in "cwmfrexCWME-" {
            #expect(TrialResult(character: character)?.character == character)
        }
        #expect(TrialResult(character: "?") == nil)
    }

    @Test func aFileHoldsTheRunAndALineForEachCell() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/baseline.json"
        let run = try sample.scored()
        try Baseline(run).write(to: path)
        let read = try Baseline(path: path)
        #expect(read.identity == run.identity)
        let pairs = try PairedRun(run, baseline: read).cells.flatMap(\.pairs)
        #expect(pairs.count == 11)
        for pair in pairs {
            #expect(pair.before?.character == pair.now.result.character)
            #expect(
                pair.before?.numbers == pair.now.result.numbers.mapValues { ($0 * 1e6).rounded() / 1e6 }
            )
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.split(separator: "\n").count { $0.contains("\"degradation\"") } == 3)
    }

    @Test(arguments: [
        ("", "is not a baseline"), ("{", "is not a baseline"), ("[]", "is not a baseline"),
        ("CCmwCm", "baseline.json:46: cell noise a, 5 s: \"?\" is no outcome"),
    ])
    func damagedFilesAreRefusedByName(_ damage: String, _ message: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/baseline.json"
        try Baseline(sample.scored()).write(to: path)
        var text = try String(contentsOfFile: path, encoding: .utf8)
        switch damage {
        case "", "{", "[]": text = damage
        default: text = text.replacing("CCmwCm", with: "CC?wCm").replacing("ccmwcm", with: "cc?wcm")
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: GateError.self) { _ = try Baseline(path: path) }
        #expect(error?.description.contains(message) ?? false, "\(String(describing: error))")
        #expect(error?.description.contains(path) ?? false)
    }

    @Test(arguments: [0, 1, 5, 1 << 32 - 1]) func anotherFormatIsRefused(format: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/baseline.json"
        try Baseline(sample.scored()).write(to: path)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacing("\"schemaVersion\" : 4", with: "\"schemaVersion\" : \(format)")
            .write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: GateError.self) { _ = try Baseline(path: path) }
        let refusal = Release.refusal(ofFormat: format, known: 2...4)
        #expect(error?.description == "\(path): \(refusal ?? "")")
    }

    @Test func aBaselineWithoutItsMachineIsRefused() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/baseline.json"
        let run = try sample.scored()
        try Baseline(run).write(to: path)
        var file = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
                as? [String: Any])
        var origin = try #require(file["run"] as? [String: Any])
        #expect(origin.removeValue(forKey: "machine") != nil)
        file["run"] = origin
        try JSONSerialization.data(withJSONObject: file).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: GateError.self) { _ = try Baseline(path: path) }
        #expect(error?.description.contains("record it again") == true)
    }

    @Test func everyTruncationIsRefused() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/baseline.json"
        try Baseline(sample.scored()).write(to: path)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // Without the last byte, a line end, the file is still complete.
        for length in 0..<(bytes.count - 2) {
            try bytes.prefix(length).write(to: URL(fileURLWithPath: path))
            #expect(throws: GateError.self) { _ = try Baseline(path: path) }
        }
    }
}
