import Foundation
import TestSupport
import Testing

@Suite struct CacheTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TerminalTests.plan.write(toFile: folder.file("tiny.yaml"), atomically: true, encoding: .utf8)
    }

    private func earshot(_ arguments: String) throws -> EarshotProcess {
        try EarshotProcess(
            shell: "cd '\(folder.path)' && exec \"$EARSHOT\" \(arguments)",
            environment: ["XDG_CACHE_HOME": folder.file("cache")])
    }

    /// The sizes of the parts, as they are printed.
    private func sizes() throws -> [Substring: Substring] {
        let rows = try earshot("cache").output.split(separator: "\n").dropFirst()
        return Dictionary(
            uniqueKeysWithValues: rows.map { $0.split(separator: "\t") }.map { ($0[0], $0[1]) })
    }

    @Test func partsAreListedClearedAndMadeAgain() throws {
        #expect(
            try sizes() == [
                "queries": "0 B", "answers": "0 B", "packages": "0 B", "decoded": "0 B", "folders": "0 B",
            ])
        let first = try earshot("evaluate --plan tiny.yaml --details 0 --output one")
        #expect(first.status == 0, "\(first.errors)")
        let stranger = folder.file("cache/earshot/evaluation/notes")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: stranger))
        let before = try sizes()
        let queries = try #require(before["queries"])
        #expect(queries.hasSuffix(" MB") && before["packages"] == "0 B")

        let cleared = try earshot("cache clear queries answers")
        #expect(cleared.status == 0 && cleared.output.hasPrefix("queries: \(queries) removed\nanswers: "))
        let after = try sizes()
        #expect(after["queries"] == "0 B" && after["answers"] != before["answers"])
        #expect(FileManager.default.fileExists(atPath: stranger))

        let second = try earshot("evaluate --plan tiny.yaml --details 0 --output two")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try sizes()["queries"] == queries)
        let trials = try ["one", "two"].map {
            try String(contentsOfFile: folder.file($0 + "/trials.csv"), encoding: .utf8)
        }
        #expect(trials[0] == trials[1])
    }

    @Test func damagedAnswersAreCleared() throws {
        let path = folder.file("cache/earshot/evaluation")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 10_000).write(to: URL(fileURLWithPath: path + "/trials.sqlite"))
        let cleared = try earshot("cache clear answers")
        #expect(cleared.status == 0 && cleared.output == "answers: 10.0 kB removed\n", "\(cleared.errors)")
    }

    @Test(arguments: ["", "everything"]) func partsMustBeNamed(_ part: String) throws {
        let run = try earshot("cache clear \(part)")
        #expect(run.status == 64 && run.errors.contains("queries"), "\(run.errors)")
    }
}
