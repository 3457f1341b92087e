import Foundation
import SystemIO
import TestSupport
import Testing

struct AtomicFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func writesAndReplaces() throws {
        let path = folder.file("a.txt")
        try AtomicFile.write("first", to: path)
        #expect(try content(path) == "first")
        try AtomicFile.write([UInt8]("second".utf8), to: path)
        #expect(try content(path) == "second")
        try AtomicFile.write("", to: path)
        #expect(try content(path).isEmpty)
        #expect(folder.names() == ["a.txt"])
    }

    @Test func failureInTheMiddleLeavesTheOldFile() throws {
        struct Stop: Error {}
        let path = folder.file("a.txt")
        try AtomicFile.write("old", to: path)
        #expect(throws: Stop.self) {
            try AtomicFile.write(to: path) { appender in
                try appender.append([UInt8](repeating: 65, count: 100_000))
                throw Stop()
            }
        }
        #expect(try content(path) == "old")
        #expect(folder.names() == ["a.txt"])
    }

    /// A process that is killed in the middle of a write leaves nothing behind.
    @Test func anUnfinishedFileHasNoName() throws {
        let path = folder.file("a.txt")
        try AtomicFile.write(to: path) { appender in
            try appender.append([UInt8](repeating: 65, count: 100_000))
            #expect(folder.names().isEmpty)
        }
        #expect(folder.names() == ["a.txt"])
        // As the system makes files.
        let other = open(folder.file("b.txt"), O_CREAT | O_WRONLY, 0o666)
        close(other)
        let modes = try ["a.txt", "b.txt"].map { name in
            try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
        }
        #expect(modes[0] != nil && modes[0] == modes[1])
    }

    @Test func fullDeviceIsAClearError() {
        let error = #expect(throws: FileWriteError.self) { try AtomicFile.write("text", to: "/dev/full") }
        #expect(error?.code == ENOSPC)
        #expect(error?.description == "/dev/full: cannot write: the disk is full; nothing was written")
        #expect(throws: Never.self) { try AtomicFile.write("text", to: "/dev/null") }
    }

    /// In a process of its own, for the limit holds for all of it.
    @Test func fileSizeLimitIsAClearErrorAndLeavesNothing() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            var limit = rlimit(rlim_cur: 8192, rlim_max: 8192)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let error = #expect(throws: FileWriteError.self) {
                try AtomicFile.write([UInt8](repeating: 1, count: 100_000), to: folder.file("big"))
            }
            #expect(error?.code == EFBIG)
            #expect(
                error?.description.hasSuffix(
                    "big: cannot write: the file would exceed the limit on file sizes; nothing was written")
                    == true)
            #expect(folder.names().isEmpty)
            // What fits is written as ever.
            try AtomicFile.write([UInt8](repeating: 1, count: 8000), to: folder.file("small"))
            #expect(folder.names() == ["small"])
        }
    }

    @Test func missingFolderAndFolderAsTarget() throws {
        let missing = #expect(throws: FileWriteError.self) {
            try AtomicFile.write("", to: folder.file("no/file"))
        }
        #expect(
            missing?.description.contains("no/file: cannot create the file: No such file or directory")
                == true)
        #expect(throws: FileWriteError.self) { try AtomicFile.write("", to: folder.path) }
    }

    @Test func linksAndPermissionsStay() throws {
        let path = folder.file("a.txt")
        try AtomicFile.write("old", to: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: "a.txt")
        try AtomicFile.write("new", to: folder.file("link"))
        #expect(try content(path) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link")) == "a.txt")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test func manyWritersAtOnceLeaveOneWholeFile() async throws {
        let path = folder.file("a.txt")
        await withTaskGroup(of: Void.self) { group in
            for letter in "abcdefgh" {
                group.addTask { try? AtomicFile.write(String(repeating: letter, count: 50_000), to: path) }
            }
        }
        let text = try content(path)
        #expect(text.count == 50_000 && Set(text).count == 1)
        #expect(folder.names() == ["a.txt"])
    }

    @Test func onlyFilesThatNoOneWritesAreAbandoned() throws {
        let path = folder.file("a.txt")
        try Data().write(to: URL(fileURLWithPath: folder.file(".a.txt.77.1.part")))
        try AtomicFile.write(to: path) { appender in
            try appender.append([1, 2, 3])
            // The one that is being written stays.
            #expect(AtomicFile.removeAbandoned(for: path) == 1)
        }
        #expect(folder.names() == ["a.txt"])
        try Data().write(to: URL(fileURLWithPath: folder.file(".a.txt.77.1.part")))
        try AtomicFile.requireWritable(path)
        #expect(folder.names() == ["a.txt"])
        #expect(AtomicFile.removeAbandoned(for: path) == 0)
        #expect(AtomicFile.removeAbandoned(for: folder.file("no/folder")) == 0)
    }

    @Test func whatIsAskedBeforeAReplacementCanRefuseIt() throws {
        struct Stop: Error {}
        let path = folder.file("a.txt")
        var asked = 0
        let ask: () throws -> Void = { asked += 1 }
        try AtomicFile.write(to: path, willReplace: ask) { try $0.append([65]) }
        #expect(asked == 0)
        try AtomicFile.write(to: path, willReplace: ask) { try $0.append([66]) }
        #expect(try content(path) == "B" && asked == 1)
        // One that appears while it is written is replaced too.
        let other = folder.file("b.txt")
        try AtomicFile.write(to: other, willReplace: ask) {
            try $0.append([67])
            try Data("other".utf8).write(to: URL(fileURLWithPath: other))
        }
        #expect(try content(other) == "C" && asked == 2)
        #expect(throws: Stop.self) {
            try AtomicFile.write(to: path, willReplace: { throw Stop() }) { try $0.append([68]) }
        }
        #expect(try content(path) == "B")
        #expect(folder.names() == ["a.txt", "b.txt"])
    }

    @Test func foldersAreMadeWithThoseAboveThem() throws {
        try SyncedFolder.make(folder.file("a/b/c/"), mode: 0o700)
        try SyncedFolder.make(folder.file("a/b/c"))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("a/b/c"))[.posixPermissions]
        #expect(mode as? Int == 0o700)
        try AtomicFile.write("", to: folder.file("file"))
        for name in ["file", "file/below"] {
            let error = #expect(throws: FileWriteError.self) { try SyncedFolder.make(folder.file(name)) }
            #expect(error?.description.contains("\(name): cannot make the folder: ") == true)
        }
    }

    private func content(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
}
