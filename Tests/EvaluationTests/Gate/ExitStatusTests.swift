import Evaluation
import Foundation
import TestSupport
import Testing

/// The table of exit codes, and what is made from it.
@Suite struct ExitStatusTests {
    private func text(_ file: String) throws -> String {
        try String(contentsOfFile: PackageFolder.path + "/" + file, encoding: .utf8)
    }

    @Test func articlesStateTheCodes() throws {
        let articles = "Sources/Evaluation/Evaluation.docc/"
        let rows = ExitStatus.allCases.map { "| \($0.rawValue) | \($0.meaning) |\n" }.joined()
        #expect(try text(articles + "Evaluation.md").contains("| code | meaning |\n|---|---|\n\(rows)\n"))
        #expect(try text(articles + "Gates.md").replacing("\n", with: " ").contains(ExitStatus.list))
    }

    /// `EARSHOT_RECORD=1` writes the file.
    @Test func theWheelHasTheCodes() throws {
        let file = "python/earshot_judge/exit_codes.json"
        let codes = Dictionary(uniqueKeysWithValues: ExitStatus.allCases.map { ("\($0)", $0.rawValue) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let expected = String(decoding: try encoder.encode(codes), as: UTF8.self) + "\n"
        if ProcessInfo.processInfo.environment["EARSHOT_RECORD"] != nil {
            try expected.write(toFile: PackageFolder.path + "/" + file, atomically: true, encoding: .utf8)
        }
        #expect(try text(file) == expected)
    }
}
