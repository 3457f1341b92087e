import AudioCore
import AudioIO
import Corpora
import Evaluation
import Foundation
import Studies
import SystemIO

/// A folder of recorded queries as FLAC files, with their truth in `truth.csv`.
///
/// Each file and the table are replaced atomically. A query is finished when the table has it and its file exists. So a
/// session resumes after a kill.
package final class RerecordedFolder: RerecordedQueries {
    package let path: String
    package var truthPath: String { path + "/truth.csv" }

    private let files: [String]
    private let tags: [String]
    private let encoding: AudioEncoding
    private let lock: RunLock
    /// The rows of the table by file.
    private var rows: [String: [[String]]] = [:]

    private static let columns = TruthRow.table.columns.map(\.name) + ["device", "room"]

    /// Opens a folder or makes it.
    ///
    /// - Parameters:
    ///   - files: The names of all files, in the order of the table.
    ///   - device: A name of what records, a tag in the table; empty for none.
    ///   - room: A name of the room, likewise.
    /// - Throws: ``ConfigurationError`` if it holds another table.
    package init(path: String, files: [String], device: String, room: String) throws {
        guard let encoding = AudioEncoding("flac-24") else { preconditionFailure("no 24-bit FLAC") }
        try FileTree.createFolder(path)
        lock = try RunLock(folder: path)
        self.path = path
        self.files = files
        self.encoding = encoding
        tags = [device, room]
        if FileManager.default.fileExists(atPath: truthPath) { try readTruth() }
    }

    private func readTruth() throws {
        var reader = try CSVReader(path: truthPath)
        guard try reader.next()?.map(\.text) == Self.columns else {
            throw foreign("expected the columns that `earshot rerecord` writes", line: 1)
        }
        while let cells = try reader.next() {
            guard cells.count == Self.columns.count, files.contains(cells[0].text) else {
                throw foreign("expected a query of this plan, found \(cells[0].text)", line: cells[0].line)
            }
            rows[cells[0].text, default: []].append(cells.map(\.text))
        }
    }

    private func foreign(_ problem: String, line: Int?) -> ConfigurationError {
        ConfigurationError(
            file: truthPath, line: line, message: problem + ". Name another folder with --output")
    }

    package func holds(_ trial: Trial) -> Bool {
        let file = PlayedQuery.fileName(of: trial.id)
        return rows[file] != nil && FileManager.default.fileExists(atPath: path + "/" + file)
    }

    package func check(_ query: PlayedQuery) throws {
        guard let row = rows[query.fileName]?.first,
            let column = Self.columns.firstIndex(of: "sha256"), row[column] != query.record.query?.digest
        else { return }
        throw foreign(
            "\(query.fileName) was recorded of another query, as with another seed or corpus", line: nil)
    }

    package func write(_ audio: AudioBuffer, of query: PlayedQuery) throws {
        let file = path + "/" + query.fileName
        AtomicFile.removeAbandoned(for: file)
        try AudioFile.write(audio, to: file, as: encoding)
    }

    package func setTruth(_ records: [TrialRecord]) throws {
        for record in records {
            rows[record.fileName] = TruthRow.rows(of: record).map { row in
                TruthRow.table.columns.map { $0.field(row) } + tags
            }
        }
        let table = Table<[String]>(
            Self.columns.indices.map { column in .init(Self.columns[column], exactText: { $0[column] }) })
        try AtomicFile.write(table.csv(files.flatMap { rows[$0] ?? [] }), to: truthPath)
    }

    package func list(missing: [String]) throws {
        let file = path + "/missing.txt"
        if missing.isEmpty { return FileTree.remove(file) }
        try AtomicFile.write(missing.map { $0 + "\n" }.joined(), to: file)
    }

    /// Writes `references.txt` for `evaluate --reference-list`.
    package func write(references: [String]) throws {
        try AtomicFile.write(references.map { $0 + "\n" }.joined(), to: path + "/references.txt")
    }
}
