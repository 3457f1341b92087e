import ArgumentParser
import Foundation
import SystemIO

/// Which files an output may replace.
struct ReplacementOptions: ParsableArguments {
    @Flag(help: "Replace the output even if it is another kind of file.")
    var force = false

    /// Checks an output before the work: it is none of the inputs, its place can be written, and it replaces only files
    /// that earshot wrote.
    /// - Throws: `CommandError` or `FileWriteError`; nothing is written.
    func check(_ output: String, inputs: [String]) throws {
        try AtomicFile.requireWritable(output)
        guard let stamp = FileStamp(path: output) else { return }
        for input in inputs {
            guard let other = FileStamp(path: input), other.isSameFile(as: stamp) else { continue }
            throw CommandError(description: "\(output): is the input \(input). Name another file to write.")
        }
        guard !force, stamp.byteCount > 0, OwnFile.letters(of: output)?.hasPrefix("EAR") != true else {
            return
        }
        throw CommandError(
            description:
                "\(output): is another kind of file. Name another file to write, or replace it with --force.")
    }
}

/// The files that earshot writes, by their first bytes: 0x89, EAR and three more letters, a line feed.
enum OwnFile {
    static let catalog = "EARCAT"

    /// The six letters of the file; nil if it is of another kind, or cannot be read.
    static func letters(of path: String) -> String? {
        guard let size = FileStamp(path: path)?.byteCount, size > 0,
            let file = FileHandle(forReadingAtPath: path)
        else { return nil }
        defer { try? file.close() }
        let head = [UInt8]((try? file.read(upToCount: 8)) ?? Data())
        guard head.count == 8, head[0] == 0x89, head[7] == 0x0A else { return nil }
        return String(decoding: head[1..<7], as: UTF8.self)
    }
}
