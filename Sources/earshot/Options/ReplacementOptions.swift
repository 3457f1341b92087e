import ArgumentParser
import Foundation
import SystemIO

/// Which files an output may replace.
struct ReplacementOptions: ParsableArguments {
    @Flag(help: "Replace the output even if it is another kind of file.")
    var force = false

    /// Checks an output before the work: it is none of the inputs, its place can be written, and it replaces only files
    /// that earshot wrote.
    /// - Throws: `OutputError` or `FileWriteError`; nothing is written.
    func check(_ output: String, inputs: [String]) throws {
        try AtomicFile.requireWritable(output)
        guard let stamp = FileStamp(path: output) else { return }
        for input in inputs {
            guard let other = FileStamp(path: input), other.isSameFile(as: stamp) else { continue }
            throw OutputError(description: "\(output): is the input \(input). Name another file to write.")
        }
        guard !force, stamp.byteCount > 0, try !Self.isOurs(output) else { return }
        throw OutputError(
            description:
                "\(output): is another kind of file. Name another file to write, or replace it with --force.")
    }

    /// Whether the file begins as a catalog or a signature does: 0x89, EAR and three more letters, a line feed.
    private static func isOurs(_ path: String) throws -> Bool {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let head = [UInt8](try file.read(upToCount: 8) ?? Data())
        return head.count == 8 && head[0] == 0x89 && head[1..<4].elementsEqual("EAR".utf8) && head[7] == 0x0A
    }
}

/// An output that must not be written.
struct OutputError: Error, CustomStringConvertible {
    let description: String
}
