import Corpora
import Evaluation
import Foundation
import Reporting
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
                Trial.cuts(from: path, name: name, chain: [], lengthSeconds: 1, count: 1, seed: 1).first)
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
}
