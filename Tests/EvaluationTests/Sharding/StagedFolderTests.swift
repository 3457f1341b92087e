import Evaluation
import Foundation
import TestSupport
import Testing

@Suite struct StagedFolderTests {
    private func write(_ folder: String) throws {
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/file"))
    }

    @Test func aFolderAppearsWholeOrNotAtAll() throws {
        let place = try TemporaryFolder()
        let target = place.file("deep/run")
        do {
            let staged = try StagedFolder(for: target)
            try write(staged.path)
            #expect(!FileManager.default.fileExists(atPath: target))
            try staged.publish()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: target).contains("file"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.file("deep")) == ["run"])
        do {
            let given = try StagedFolder(for: place.file("given-up"))
            try write(given.path)
        }
        #expect(place.names() == ["deep"])
    }

    @Test func nothingIsWrittenOver() throws {
        let place = try TemporaryFolder()
        _ = try place.makeFolder("empty")
        let full = try place.makeFolder("full")
        try write(full)
        #expect(throws: MergeError.self) { try StagedFolder(for: full) }
        #expect(throws: MergeError.self) { try StagedFolder(for: full + "/file") }
        // Of two at the same time, the first to be complete takes the name.
        let slow = try StagedFolder(for: place.file("empty"))
        try write(place.file("empty"))
        #expect(throws: MergeError.self) { try slow.publish() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.file("empty")) == ["file"])
    }

    @Test func abandonedFoldersAreRemoved() throws {
        let place = try TemporaryFolder()
        let left = try place.makeFolder(".run.merging-1")
        try write(left)
        try Data().write(to: URL(fileURLWithPath: left + "/run.lock"))
        let other = try place.makeFolder(".other.merging-1")
        try Data().write(to: URL(fileURLWithPath: other + "/run.lock"))
        let held = try place.makeFolder(".run.merging-2")
        let lock = try RunLock(folder: held)
        let staged = try StagedFolder(for: place.file("run"))
        let expected = [
            ".other.merging-1", ".run.merging-2", URL(fileURLWithPath: staged.path).lastPathComponent,
        ]
        #expect(place.names() == expected.sorted())
        withExtendedLifetime(lock) {}
    }
}
