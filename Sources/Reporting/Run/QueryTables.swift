import Evaluation
import Foundation
import SystemIO

/// Writes what is right for queries, and what was answered to them, in the formats that others read.
package struct QueryTables {
    private let records: [TrialRecord]
    private let rows: [TruthRow]

    /// Takes the records of trials in any state.
    package init(_ records: [TrialRecord]) {
        self.records = records
        rows = records.flatMap(TruthRow.rows(of:))
    }

    /// How many queries are negative against a part of the references only, so that no table holds them.
    package var leftOut: Int { records.count { $0.fold != nil } }

    /// Writes `truth.csv`, `mirex-truth.txt`, `annotations.csv` and, with `references`, `references.txt`.
    ///
    /// MIREX and Pexeso know no negatives: theirs stand in `truth.csv` only.
    ///
    /// - Parameter references: the ids of what is enrolled; nil where that is not known.
    /// - Returns: the path of `truth.csv`.
    /// - Throws: `FileWriteError` naming the file and the reason.
    @discardableResult
    package func writeTruth(references: [String]?, to folder: String) throws -> String {
        let path = folder + "/truth.csv"
        try AtomicFile.write(TruthRow.table.text(rows), to: path)
        let right = rows.compactMap { row in row.reference.map { (row.record.fileName, $0) } }
        try AtomicFile.write(Self.list(right), to: folder + "/mirex-truth.txt")
        let passages = rows.compactMap { row in
            row.reference.map {
                PexesoRow(
                    row.record, reference: $0, offsetSeconds: row.offsetSeconds,
                    timeSkew: row.record.truth?.timeSkew)
            }
        }
        try AtomicFile.write(PexesoRow.annotations.text(passages), to: folder + "/annotations.csv")
        if let references {
            try AtomicFile.write(
                references.sorted().map { $0 + "\n" }.joined(), to: folder + "/references.txt")
        }
        return path
    }

    /// Writes `mirex-results.txt`, the best candidate to each query whatever its score, and `matches.csv`, what
    /// was claimed, which is what Pexeso's toolkit evaluates.
    ///
    /// - Parameter threshold: the score from which a candidate is claimed; nil leaves it to the matcher.
    /// - Throws: `FileWriteError` naming the file and the reason.
    package func writeAnswers(threshold: Double?, to folder: String) throws {
        let answered = records.filter { $0.isOffered && $0.error == nil && $0.fold == nil }
        let best = answered.compactMap { record in
            record.candidates.first.map { (record.fileName, $0.referenceID) }
        }
        try AtomicFile.write(Self.list(best), to: folder + "/mirex-results.txt")
        let matches = answered.compactMap { record in
            JudgedTrial(record, threshold: threshold).claim.map { claim in
                PexesoRow(
                    record, reference: claim.referenceID, offsetSeconds: claim.offsetSeconds,
                    timeSkew: claim.timeSkew)
            }
        }
        try AtomicFile.write(PexesoRow.matches.text(matches), to: folder + "/matches.csv")
    }

    /// Two names a line, separated by a tab; a name that holds a tab or a line break cannot be in such a list.
    private static func list(_ pairs: [(String, String)]) -> String {
        pairs.filter { pair in
            ![pair.0, pair.1].contains { $0.unicodeScalars.contains { "\t\n\r".unicodeScalars.contains($0) } }
        }.map { "\($0)\t\($1)\n" }.joined()
    }
}
