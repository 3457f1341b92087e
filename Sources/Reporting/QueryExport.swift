import AudioCore
import AudioIO
import Degradations
import Evaluation
import Foundation

/// Writes queries as audio files, and the truth about them as a table.
public struct QueryExport {
    private struct Row {
        let trial: Trial
        /// What was written; nil where the format is not offered.
        var written:
            (file: String, truth: TrialRecord.Truth, snrDecibels: Double?, sampleRate: Int, digest: String)?
    }

    private let folder: String
    private let encoding: AudioEncoding
    private var rows: [Row] = []

    /// Writes into `folder`, which is made if there is none.
    public init(folder: String) throws {
        guard let encoding = AudioEncoding("wav-float") else { preconditionFailure("no 32-bit float WAV") }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw ConfigurationError(
                file: folder, line: nil, message: "the folder cannot be made: \(error.localizedDescription)")
        }
        self.folder = folder
        self.encoding = encoding
    }

    /// Renders one trial and writes it as 32-bit float WAV.
    ///
    /// A trial whose format does not exist at its rate gets a row without a file.
    public mutating func add(_ trial: Trial, recording: AudioBuffer?, material: any Material) throws {
        var row = Row(trial: trial)
        do {
            let query = try trial.render(from: recording, material: material)
            let file = trial.id.replacingOccurrences(of: "/", with: "_") + ".wav"
            try AudioFile.write(query.audio, to: folder + "/" + file, as: encoding)
            row.written = (
                file, query.truth, query.clip.measurements["snrDecibels"], query.audio.sampleRate,
                query.digest
            )
        } catch let error as DegradationError where error.code == .notOffered {
            // The row without a file says so.
        }
        rows.append(row)
    }

    /// Writes `truth.csv` and says what was written.
    public func finish() throws -> String {
        let path = folder + "/truth.csv"
        try AtomicFile.write(Self.table.text(rows), to: path)
        let missing = rows.filter { $0.written == nil }.count
        return "\(rows.count - missing) queries\(missing == 0 ? "" : ", \(missing) not offered"): \(path)"
    }

    /// Times in seconds, skews as fractions; a negative has no truth.
    private static var table: CSVTable<Row> {
        CSVTable(columns: [
            .init("file", text: { $0.written?.file }),
            .init("trial", text: { $0.trial.id }),
            .init("source", text: { $0.trial.source }),
            .init("positive", flag: { $0.trial.isPositive }),
            .init("offset_seconds", number: { $0.trial.isPositive ? $0.written?.truth.offsetSeconds : nil }),
            .init("frequency_skew", number: { $0.trial.isPositive ? $0.written?.truth.frequencySkew : nil }),
            .init("time_skew", number: { $0.trial.isPositive ? $0.written?.truth.timeSkew : nil }),
            .init(
                "skew_change_per_second",
                number: { $0.trial.isPositive ? $0.written?.truth.skewChangePerSecond : nil }),
            .init("snr_decibels", number: { $0.written?.snrDecibels }),
            .init("sample_rate_hertz", count: { $0.written?.sampleRate }),
            .init("sha256", text: { $0.written?.digest }),
            .init("chain", text: { $0.trial.chain.json }),
        ])
    }
}
