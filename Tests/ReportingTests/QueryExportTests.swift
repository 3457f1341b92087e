import Corpora
import Evaluation
import Foundation
import Reporting
import TestSupport
import Testing

/// Queries as files.
@Suite struct QueryExportTests {
    @Test func aFileIsOfOneQuery() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var export = try QueryExport(folder: folder, corpus: nil)
        let material = try CorpusMaterial(library: CorpusLibrary(recipeFolder: folder), music: nil)
        func trial(_ name: String, of path: String) throws -> Trial {
            try #require(
                Trial.cuts(
                    from: path, name: name, chain: [], lengthSeconds: 1, count: 1, firstIndex: 0, seed: 1
                ).first)
        }
        try export.add(trial("a/b", of: "one.wav"), recording: nil, material: material)
        #expect(FileManager.default.fileExists(atPath: folder + "/a_b_1s_0.wav"))
        for (name, words) in [("a_b", "a/b/1s/0 and a_b/1s/0"), ("a/b", "one.wav and two.wav")] {
            var again = export
            let other = try trial(name, of: "two.wav")
            let error = try #require(throws: ConfigurationError.self) {
                try again.add(other, recording: nil, material: material)
            }
            #expect(error.message == "two queries have the file name a_b_1s_0.wav: \(words)")
        }
    }

    /// An hour is 230 MB of samples, which reading them at once would take twice.
    ///
    /// Needs its own process, because the peak is that of a whole process.
    @Test func aLongRecordingIsNotHeld() async {
        await #expect(processExitsWith: .success) {
            let noise = try LongNoise(seconds: 3600, sampleRate: 16_000)
            let folder = try TemporaryFolder()
            let library = try CorpusLibrary(recipeFolder: folder.path)
            let cuts = QueryExport.Cuts(
                chain: try PlanFile.chain(text: "[{speed: {percent: 2}}]"), lengthSeconds: 5, count: 4,
                seed: 1)
            let growth = try LongNoise.peakGrowthKilobytes {
                _ = try QueryExport.write(
                    cuts, of: [noise.path], in: library, to: folder.file("q"), leavingOut: { _ in })
            }
            #expect(growth < 150_000)
            let truth = try String(contentsOfFile: folder.file("q/truth.csv"), encoding: .utf8)
            let queries = truth.split(whereSeparator: \.isNewline).dropFirst().map { $0.prefix { $0 != "," } }
            #expect(queries == (0..<4).map { "long_5s_\($0).wav" })
        }
    }
}
