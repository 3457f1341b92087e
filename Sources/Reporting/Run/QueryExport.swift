import AudioCore
import AudioIO
import Corpora
import Degradations
import Evaluation

/// Writes queries as audio files, and the truth about them as tables.
package struct QueryExport {
    private let folder: String
    private let encoding: AudioEncoding
    private let tracks: [String: Track]
    private var records: [TrialRecord] = []
    /// The place among the records of each file that was written.
    private var written: [String: Int] = [:]

    /// Writes into `folder`, which is made if there is none.
    ///
    /// - Parameter corpus: what trials are cut from; nil for files, each of which is its own reference.
    package init(folder: String, corpus: Corpus?) throws {
        guard let encoding = AudioEncoding("wav-float") else { preconditionFailure("no 32-bit float WAV") }
        try FileTree.createFolder(folder)
        self.folder = folder
        self.encoding = encoding
        tracks = Dictionary(
            (corpus?.tracks ?? []).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Renders one trial and writes it as 32-bit float WAV.
    ///
    /// A trial whose format does not exist at its rate is counted and not written.
    ///
    /// - Throws: ``ConfigurationError`` when another trial has a file of the same name.
    package mutating func add(_ trial: Trial, recording: AudioBuffer?, material: any Material) throws {
        var query: RenderedQuery?
        do {
            query = try trial.render(from: recording, material: material)
        } catch let error as DegradationError where error.code == .notOffered {
            query = nil
        }
        var record = try TrialRecord(trial, query: query, tracks: tracks)
        // The file is a new one, also for a recorded query.
        record.trial.queryFile = nil
        record.trial.queryPart = nil
        if let query {
            if let other = written[record.fileName] { throw clash(records[other], record) }
            try AudioFile.write(query.audio, to: folder + "/" + record.fileName, as: encoding)
            written[record.fileName] = records.count
        }
        records.append(record)
    }

    /// Folders become a part of a file's name, so names can collide.
    private func clash(_ first: TrialRecord, _ second: TrialRecord) -> ConfigurationError {
        let isOneTrial = first.trial.id == second.trial.id
        let names = [first, second].map { isOneTrial ? $0.trial.source : $0.trial.id }
        return ConfigurationError(
            file: folder, line: nil,
            message: "two queries have the file name \(second.fileName): \(names[0]) and \(names[1])")
    }

    /// Writes the tables of ``QueryTables`` and says what was written.
    ///
    /// - Parameter references: the ids of what is enrolled; nil where that is not known.
    package func finish(references: [String]? = nil) throws -> String {
        // In the order of the plan, as in the tables of a run.
        let tables = QueryTables(
            tracks.isEmpty ? records : records.sorted { $0.trial.index < $1.trial.index })
        let path = try tables.writeTruth(references: references, to: folder)
        let missing = records.count { !$0.isOffered }
        let left = tables.leftOut
        return "\(records.count - missing) queries\(missing == 0 ? "" : ", \(missing) not offered"): \(path)"
            + (left == 0
                ? ""
                : "\n\(left) of them are negative only without their recording; no table holds them")
    }
}
