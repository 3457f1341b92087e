import Foundation
import SystemIO

/// An append-only file of JSON values, one a line.
///
/// A line is on the disk before `append` returns. A killed process leaves at most one torn line at the end, which the
/// next opening removes.
final class JSONLines<Line: Codable> {
    let path: String
    let lines: [Line]
    /// The removed bytes of a torn last line.
    let tornBytes: Int
    private let file: FileHandle

    /// Opens or creates the file.
    ///
    /// - Throws: ``TuningError`` that names the file and the line that cannot be read.
    init(path: String) throws {
        self.path = path
        if !FileManager.default.fileExists(atPath: path) { try AtomicFile.write("", to: path) }
        let data: Data
        do {
            file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            data = try file.readToEnd() ?? Data()
        } catch {
            throw TuningError("\(path): cannot be opened: \(error.localizedDescription)")
        }
        let whole = data.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        tornBytes = data.count - whole
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        lines = try data[..<whole].split(separator: UInt8(ascii: "\n")).enumerated().map { number, text in
            do {
                return try decoder.decode(Line.self, from: Data(text))
            } catch {
                throw TuningError("\(path):\(number + 1): this line is not an entry of this file: \(error)")
            }
        }
        if tornBytes > 0 { try writing { try file.truncate(atOffset: UInt64(whole)) } }
        try writing { _ = try file.seekToEnd() }
    }

    deinit { try? file.close() }

    func append(_ line: Line) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let data = try encoder.encode(line) + Data("\n".utf8)
        try writing {
            // Another process may have added a line since.
            _ = try file.seekToEnd()
            try file.write(contentsOf: data)
            try file.synchronize()
        }
    }

    private func writing(_ body: () throws -> Void) throws {
        do { try body() } catch {
            throw TuningError("\(path): cannot be written: \(error.localizedDescription)")
        }
    }
}
