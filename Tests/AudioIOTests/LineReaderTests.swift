import AudioCore
import Foundation
import SystemIO
import TestSupport
import Testing

struct LineReaderTests {
    private func lines(_ path: String, longestLine: Int) throws -> [(bytes: [UInt8]?, isComplete: Bool)] {
        let reader = try LineReader(path: path, longestLine: longestLine)
        var lines: [(bytes: [UInt8]?, isComplete: Bool)] = []
        while let line = try reader.nextLine() { lines.append((line.bytes.map(Array.init), line.isComplete)) }
        return lines
    }

    /// Lines of 0 to 200,000 bytes, so that blocks of reading end anywhere.
    @Test(arguments: 0..<20) func linesAreTheTextBetweenLineFeeds(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.file("lines")
        let texts = (0..<Int.random(in: 1...30, using: &random)).map { _ in
            let length = [0, 3, 1000, 65_535, 65_536, 200_000].randomElement(using: &random) ?? 0
            return [UInt8](repeating: UInt8.random(in: 32...255, using: &random), count: length)
        }
        let isComplete = Bool.random(using: &random) || texts.last?.isEmpty == true
        var bytes = Array(texts.joined(separator: [10]))
        if isComplete { bytes.append(10) }
        try AtomicFile.write(bytes, to: path)
        let longest = 100_000
        let found = try lines(path, longestLine: longest)
        #expect(found.map(\.bytes) == texts.map { $0.count > longest ? nil : $0 })
        #expect(found.dropLast().allSatisfy(\.isComplete) && found.last?.isComplete == isComplete)
    }

    @Test func aPipeIsReadAndOneWithoutAWriterIsEmpty() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try lines(path, longestLine: 10).isEmpty)
        let reading = open(path, O_RDONLY | O_NONBLOCK)
        let writing = open(path, O_WRONLY)
        defer { close(reading) }
        let reader = try LineReader(path: path, longestLine: 10)
        #expect(!reader.isFile && write(writing, "one\ntwo", 7) == 7)
        #expect(try reader.nextLine()?.bytes == Array("one".utf8)[...])
        close(writing)
        #expect(try reader.nextLine()?.bytes == Array("two".utf8)[...])
        #expect(try reader.nextLine() == nil)
    }

    @Test func whatCannotBeReadIsAnError() throws {
        let folder = try TemporaryFolder()
        let missing = #expect(throws: LineReader.Failure.self) {
            _ = try LineReader(path: folder.file("none"), longestLine: 10)
        }
        #expect(missing?.code == ENOENT)
        let other = #expect(throws: LineReader.Failure.self) { _ = try lines(folder.path, longestLine: 10) }
        #expect(other?.code == EISDIR)
    }
}
