import AudioCore
import AudioIO
import EarshotKit
import Fingerprinting
import Foundation
import KitTestSupport
import SystemIO
import TestSupport
import Testing

/// Lines of JSON for query files.
@Suite struct MatchLineTests {
    private let folder: TemporaryFolder
    private let catalog: SHCustomCatalog

    init() throws {
        folder = try TemporaryFolder()
        catalog = try SongBook.catalog()
    }

    private func line(_ path: String) throws -> [String: Any] {
        let result = BatchMatcher(catalog: try catalog.engine()).match(path)
        let text = MatchLine(result, in: catalog).json
        #expect(!text.contains("\n"))
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func linesAreJSONInTheAgreedForm() throws {
        let wave = try #require(AudioEncoding("wav-pcm16"))
        let query = folder.file("a \"query\".wav")
        try AudioFile.write(SongBook.songs[1].render(from: 5, seconds: 4), to: query, as: wave)
        let object = try line(query)
        #expect(Set(object.keys) == ["query", "durationSeconds", "answers", "matchMilliseconds", "error"])
        #expect(object["query"] as? String == query)
        #expect(object["durationSeconds"] as? Double == 4)
        #expect(object["error"] is NSNull)
        let answers = try #require(object["answers"] as? [[String: Any]])
        #expect(answers.count == 1)
        #expect(
            Set(answers[0].keys)
                == [
                    "id", "title", "matchOffset", "frequencySkew", "timeSkew", "score", "confidence", "items",
                ])
        #expect(answers[0]["title"] as? String == SongBook.title(1))
        #expect(abs((answers[0]["matchOffset"] as? Double ?? 0) - 5) < 0.002)
    }

    @Test func unreadableQueryIsALineWithAnError() throws {
        try AtomicFile.write("RIFF nonsense", to: folder.file("bad.wav"))
        for path in [
            folder.file("bad.wav"), folder.file("none.wav"), folder.file("no.earsignature"), folder.path,
        ] {
            let object = try line(path)
            #expect((object["error"] as? String)?.contains(path) == true)
            #expect((object["answers"] as? [Any])?.isEmpty == true)
            #expect(object["matchMilliseconds"] is NSNull)
        }
    }

    @Test("A line gives back any path")
    func linesKeepAnyText() throws {
        for name in ["plain", "a \"quoted\" \\ name", "tab\tand\nline", "№ 日本 👩‍👩‍👧", "\u{1}\u{1F}"] {
            let path = folder.file(name)
            let object = try line(path)
            #expect(object["query"] as? String == path && object["durationSeconds"] is NSNull)
            #expect(
                object["error"] as? String == BatchMatcher(catalog: try catalog.engine()).match(path).error)
        }
    }

    @Test func signatureFilesAreQueries() throws {
        let path = folder.file("q.shazamsignature")
        try SongBook.query(2, from: 4, seconds: 5).dataRepresentation.write(to: URL(fileURLWithPath: path))
        let answers = try #require(try line(path)["answers"] as? [[String: Any]])
        #expect(answers.map { $0["title"] as? String } == [SongBook.title(2)])
    }
}
