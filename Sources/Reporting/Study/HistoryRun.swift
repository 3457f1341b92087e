import Evaluation
import Foundation
import Metrics

/// A finished run as its `summary.json` tells it.
package struct HistoryRun: Sendable {
    /// The file it was read from.
    package let path: String
    let summary: Summary

    /// What a history needs of a summary; other keys may be there or not.
    struct Summary: Decodable, Sendable {
        struct Rate: Decodable, Sendable {
            let rate: Double?
            let lower: Double?
            let upper: Double?
        }

        struct Figures: Decodable, Sendable {
            let recall: Rate
            let recallAtZeroFalseAccepts: Rate
            let falseAcceptRate: Rate
            let wrongReferenceRate: Rate
            let frequencySkewError: ErrorSummary?
            let freeFrequencySkewError: ErrorSummary?
            let timeSkewError: ErrorSummary?
            let freeTimeSkewError: ErrorSummary?
            let offsetErrorSeconds: ErrorSummary?
        }

        struct Cost: Decodable, Sendable {
            let latencyMilliseconds: LatencySummary?
            let indexBytesPerHour: Double?
        }

        let overall: Figures
        let cost: Cost
        let run: RunFacts
    }

    /// Reads a summary.
    ///
    /// - Throws: ``HistoryError`` that names the file and what was expected there.
    package init(path: String) throws {
        self.path = path
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw HistoryError("\(path): cannot be read: \(error.localizedDescription)")
        }
        guard
            let version = try? JSONDecoder().decode([String: SchemaVersion].self, from: data)["schemaVersion"]
        else { throw HistoryError("\(path): expected the summary.json of a run, a JSON object") }
        guard let number = version.number, number <= ReportModel.schemaVersion else {
            throw HistoryError(
                "\(path): schema version \(version.number.map(String.init) ?? "missing"); this program reads "
                    + "up to \(ReportModel.schemaVersion)")
        }
        do {
            summary = try JSONDecoder().decode(Summary.self, from: data)
        } catch let error as DecodingError {
            throw HistoryError("\(path): expected the summary.json of a run; \(error.place)")
        }
    }

    /// A number under a key, or something else under another.
    private struct SchemaVersion: Decodable {
        let number: Int?
        init(from decoder: any Decoder) throws {
            number = try? decoder.singleValueContainer().decode(Int.self)
        }
    }

    /// The summaries under `path`: the file itself, that of a run's folder, or those of all runs in a folder.
    ///
    /// - Throws: ``HistoryError`` when there is none.
    package static func paths(under path: String) throws -> [String] {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw HistoryError("\(path): there is no such file or folder")
        }
        guard isFolder.boolValue else { return [path] }
        let own = path + "/summary.json"
        if files.fileExists(atPath: own) { return [own] }
        let found = ((try? files.contentsOfDirectory(atPath: path)) ?? []).sorted()
            .map { "\(path)/\($0)/summary.json" }.filter(files.fileExists(atPath:))
        if found.isEmpty { throw HistoryError("\(path): no run here has a summary.json") }
        return found
    }
}

/// A history that cannot be made, and why.
package struct HistoryError: Error, CustomStringConvertible, Sendable {
    /// What was found and what was expected.
    package let description: String

    init(_ description: String) { self.description = description }
}
