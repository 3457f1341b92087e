import EarshotKit
import Foundation
import TestSupport
import Testing

/// Libraries and journals that programs since 0.1.0 wrote; the README beside them says how.
@Suite struct GoldenLibraryTests {
    private static let golden = PackageFolder.path + "/Tests/EarshotKitTests/Golden"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lines(_ path: String) throws -> [Substring] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    }

    /// What today's program changes leaves the other lines byte by byte, the header included.
    @Test func aLibraryIsReadAndKept() async throws {
        let data = try folder.makeFolder("data")
        let path = data + "/library.jsonl"
        try FileManager.default.copyItem(atPath: Self.golden + "/library.jsonl", toPath: path)
        let store = try LibraryStore(folder: data)
        #expect(try store.items(of: "earshot").map(\.shazamID) == ["103", "101"])
        #expect(try store.items(of: "earshot")[0].title == "A title")
        #expect(try store.syncFolder() == "/nowhere")
        try await store.add([SHMediaItem(properties: [.shazamID: "104"])], app: "earshot")
        let golden = try lines(Self.golden + "/library.jsonl")
        #expect(try Set(golden).subtracting(lines(path)) == [])
        #expect(try lines(path).count == golden.count + 1 && lines(path)[0] == golden[0])
        #expect(try LibraryStore(folder: data).items(of: "earshot").map(\.shazamID) == ["104", "103", "101"])
    }

    /// The journal of another machine gives its items, and today's machine writes the same lines.
    @Test func aJournalOfTheFirstReleaseIsRead() throws {
        let meeting = try folder.makeFolder("meeting")
        let journal = meeting + "/library-first.jsonl"
        try FileManager.default.copyItem(atPath: Self.golden + "/library-0.1.0.jsonl", toPath: journal)
        let golden = try lines(journal)
        let store = try LibraryStore(folder: folder.file("data"))
        let report = try store.synchronize(with: meeting)
        #expect(report.unreadable == [] && report.received == 2 && report.sent == 0)
        #expect(try store.items(of: "earshot").map(\.shazamID) == ["103", "101"])
        #expect(try lines(journal) == golden)
        try FileManager.default.removeItem(atPath: journal)
        _ = try store.synchronize(with: meeting)
        let written = try #require(try FileManager.default.contentsOfDirectory(atPath: meeting).first)
        #expect(try Set(lines("\(meeting)/\(written)")).subtracting(golden) == [])
    }
}
