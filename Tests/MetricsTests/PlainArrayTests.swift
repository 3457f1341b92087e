import Foundation
import Metrics
import Testing

/// Metrics of plain arrays, as a program in another language computes them.
@Suite struct PlainArrayTests {
    /// 1,000 cases have the values of `Fixtures/arrays.txt`, which `python/tests/test_metrics.py` expects as well.
    ///
    /// EARSHOT_RECORD=1 writes the file.
    @Test func casesHaveTheRecordedValues() throws {
        var cases = ArrayCases()
        let found = (0..<1000).map { _ in cases.next() }
        if ProcessInfo.processInfo.environment["EARSHOT_RECORD"] != nil {
            let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Fixtures/arrays.txt")
            try ArrayCases.text(found).write(to: path, atomically: true, encoding: .utf8)
            Issue.record("wrote \(path.path)")
            return
        }
        let path = try #require(Bundle.module.url(forResource: "Fixtures/arrays", withExtension: "txt"))
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").dropFirst()
        try #require(lines.count == found.count)
        for (line, values) in zip(lines, found) {
            let recorded = line.split(separator: " ").compactMap { Double($0) }
            try #require(recorded.count == values.count, "\(line)")
            for (value, expected) in zip(values, recorded) {
                #expect(value.isNaN && expected.isNaN || abs(value - expected) <= 1e-9, "\(values) \(line)")
            }
        }
    }
}
