import AudioCore
import EarshotKit
import Foundation
import Observation
import TestSupport
import Testing

/// The library as one app sees it.
@MainActor @Suite(.tags(.timed)) struct SHLibraryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func library(_ app: String = "app") -> SHLibrary {
        SHLibrary(app: app, folder: URL(fileURLWithPath: folder.file("library")))
    }

    private func item(_ id: String, _ title: String = "a title") -> SHMediaItem {
        SHMediaItem(properties: [.shazamID: id, .title: title, .timeRanges: [1.0..<2.5], .genres: ["Rock"]])
    }

    private func expectFailure(
        _ part: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @MainActor () async throws -> Void
    ) async {
        do {
            try await body()
            Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        } catch {
            #expect((error as NSError).code == 400, sourceLocation: sourceLocation)
            #expect(error.localizedDescription.contains(part), "\(error)", sourceLocation: sourceLocation)
        }
    }

    @Test func itemsAndTheirOrderPersist() async throws {
        let items = [item("1"), item("22"), item("333")]
        try await library().addItems(items)
        #expect(library().items == items.reversed())
        try await library().addItems([item("22", "another title")])
        #expect(library().items == [item("22", "another title"), item("333"), item("1")])
        try await library().removeItems([item("333")])
        #expect(library().items.map(\.shazamID) == ["22", "1"])
    }

    @Test func eachAppHasItsOwnItems() async throws {
        try await library("mine").addItems([item("1"), item("2")])
        try await library("yours").addItems([item("2"), item("3")])
        #expect(library("mine").items.map(\.shazamID) == ["2", "1"])
        #expect(library("yours").items.map(\.shazamID) == ["3", "2"])
        await expectFailure("mine has added no item with the Shazam ID 3") {
            try await library("mine").removeItems([item("1"), item("3")])
        }
        #expect(library("mine").items.count == 2)
        try await library("mine").removeItems([item("2")])
        #expect(library("yours").items.count == 2)
        #expect(library("nobody").items.isEmpty)
    }

    @Test(arguments: ["", "12a", "-3", "1 ", "٣", "1.0"])
    func nonDigitIDsAreRefused(_ id: String) async throws {
        let library = library()
        await expectFailure("\"\(id)\"; one of digits only") {
            try await library.addItems([item("7"), item(id)])
        }
        await expectFailure("has no Shazam ID") {
            try await library.addItems([item("7"), SHMediaItem(properties: [.title: "nameless"])])
        }
        await expectFailure("nameless") {
            try await library.removeItems([SHMediaItem(properties: [.title: "nameless"])])
        }
        #expect(library.items.isEmpty)
    }

    @Test func concurrentTasksLoseNothing() async throws {
        let libraries = [library(), library()]
        for library in libraries { #expect(library.items.isEmpty) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 1...8 {
                group.addTask {
                    let library = libraries[worker % 2]
                    for number in 0..<10 {
                        let item = SHMediaItem(properties: [.shazamID: "\(worker)\(number)"])
                        try await library.addItems([item])
                        if number.isMultiple(of: 2) { try await library.removeItems([item]) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let expected = (1...8).flatMap { worker in [1, 3, 5, 7, 9].map { "\(worker)\($0)" } }
        #expect(Set(library().items.compactMap(\.shazamID)) == Set(expected))
    }

    @Test func theOlderFormAdds() async throws {
        let library = library()
        try await SHMediaLibrary(library).add([item("5")])
        let error = await withCheckedContinuation { continuation in
            SHMediaLibrary(library).add([item("x")]) { continuation.resume(returning: $0 as NSError?) }
        }
        #expect(error?.code == 400)
        let none = await withCheckedContinuation { continuation in
            SHMediaLibrary(library).add([item("6")]) { continuation.resume(returning: $0 as NSError?) }
        }
        #expect(none == nil)
        #expect(library.items.map(\.shazamID) == ["6", "5"])
    }

    /// Waits for a change of what `read` observes.
    private func change(
        of read: @MainActor () -> Void, after act: @MainActor () async throws -> Void
    ) async throws {
        let (changes, announce) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking(read) { announce.yield() }
        try await act()
        for await _ in changes { break }
    }

    @Test(.timeLimit(.minutes(1))) func observersSeeChanges() async throws {
        let watched = library()
        #expect(watched.items.isEmpty)
        try await change(of: { _ = watched.items }) { try await watched.addItems([item("1")]) }
        #expect(watched.items.map(\.shazamID) == ["1"])
        // A second connection, as of another process.
        try await change(of: { _ = watched.items }) { try await library().addItems([item("2")]) }
        #expect(watched.items.map(\.shazamID) == ["2", "1"])
        try await change(of: { _ = watched.items }) { try await library().removeItems([item("1")]) }
        #expect(watched.items.map(\.shazamID) == ["2"])
    }

    @Test func anUnreadableLibraryIsEmptyAndNamesTheReason() async throws {
        let path = folder.file("library")
        try Data("no folder".utf8).write(to: URL(fileURLWithPath: path))
        #expect(library().items.isEmpty)
        await expectFailure(path) { try await library().addItems([item("1")]) }
        await expectFailure(path) { try await library().removeItems([item("1")]) }
        await expectFailure(path) { _ = try await library().synchronize() }
        await expectFailure(path) { try library().setSyncFolder(nil) }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: path + "/library.sqlite"))
        await expectFailure("library.sqlite: was written by an earlier version") {
            try await library().addItems([item("1")])
        }
        #expect(mkfifo(path + "/library.jsonl", 0o600) == 0)
        await expectFailure("library.jsonl: line 1: ") { try await library().addItems([item("1")]) }
    }

    /// A damaged file is an error that names the line, and nothing writes it.
    @Test func aDamagedLibraryIsNotWritten() async throws {
        try await library().addItems([item("1"), item("2")])
        let file = URL(fileURLWithPath: folder.file("library/library.jsonl"))
        let intact = try Data(contentsOf: file)
        let ends = intact.indices.filter { intact[$0] == UInt8(ascii: "\n") }
        func expectRefusal(_ bytes: Data, line: Int) async throws {
            try bytes.write(to: file)
            await expectFailure("library.jsonl: line \(line): expected ") {
                try await library().addItems([item("3")])
            }
            await expectFailure("library.jsonl: line \(line): expected ") { try library().setSyncFolder(nil) }
            #expect(library().items.isEmpty)
            #expect(try Data(contentsOf: file) == bytes)
        }
        // Cut within each of the lines.
        try await expectRefusal(Data(), line: 1)
        for (line, end) in zip(1..., ends) { try await expectRefusal(intact.prefix(end - 1), line: line) }
        // A changed byte at the start of each line.
        for (line, start) in zip(1..., [0] + ends.dropLast().map { $0 + 1 }) {
            var bytes = intact
            bytes[start] = UInt8(ascii: "[")
            try await expectRefusal(bytes, line: line)
        }
        try await expectRefusal(intact.dropFirst(ends[0] + 1), line: 1)
        try intact.write(to: file)
        #expect(library().items.count == 2)
    }

    /// Another format is refused with one sentence, and nothing writes the file.
    @Test(arguments: [0, 2, 1 << 32 - 1]) func aLibraryOfAnotherFormatIsNotWritten(format: Int) async throws {
        try await library().addItems([item("1")])
        let file = URL(fileURLWithPath: folder.file("library/library.jsonl"))
        let text = try String(contentsOf: file, encoding: .utf8)
        let other = text.replacing("\"format\":1", with: "\"format\":\(format)")
        try other.write(to: file, atomically: true, encoding: .utf8)
        let reason = format == 0 ? "has format 0; Earshot \(Release.number) reads 1" : Release.newer
        await expectFailure("library.jsonl: \(reason)") { try await library().addItems([item("3")]) }
        #expect(try String(contentsOf: file, encoding: .utf8) == other)
    }

    /// Changes of equal length, as fast as they come, give versions that never come again.
    @Test func everyChangeGivesANewVersion() throws {
        let writer = library()
        let reader = try LibraryStore(folder: folder.file("library"))
        let folders = try ["a", "b"].map { name in
            URL(fileURLWithPath: try folder.makeFolder(name), isDirectory: true)
        }
        var versions: Set<[Int]?> = [reader.version()]
        for round in 0..<200 {
            try writer.setSyncFolder(folders[round % 2])
            #expect(versions.insert(reader.version()).inserted)
            #expect(try reader.syncFolder() == folders[round % 2].path)
        }
        // What changes nothing writes nothing.
        let before = reader.version()
        _ = try reader.synchronize(with: folders[0].path)
        #expect(reader.version() == before)
    }

    @Test func theSyncFolderMustExist() async throws {
        let library = library()
        #expect(library.syncFolder == nil)
        #expect(try await library.synchronize() == nil)
        let missing = URL(fileURLWithPath: folder.file("missing"))
        await expectFailure(missing.path) { try library.setSyncFolder(missing) }
        #expect(library.syncFolder == nil)
        let meeting = URL(fileURLWithPath: try folder.makeFolder("meeting"), isDirectory: true)
        try library.setSyncFolder(meeting)
        #expect(self.library("other").syncFolder?.path == meeting.path)
        // A missing folder does not prevent adding. Only `synchronize()` reports it.
        try FileManager.default.removeItem(at: meeting)
        try await library.addItems([item("1")])
        #expect(library.items.count == 1)
        await expectFailure(meeting.path) { _ = try await library.synchronize() }
        try library.setSyncFolder(nil)
        #expect(library.syncFolder == nil)
    }
}
