import Evaluation
import Foundation
import SystemIO

/// Every raw outcome as a line of JSON: the query, its truth, and all candidates as they were answered.
///
/// Keys are sorted, trials stand in the order of the plan and latency is left out, so that equal outcomes give
/// equal bytes.
package enum OutcomesJSONL {
    /// Writes the file at `path`, whole or not at all.
    package static func write(_ records: [TrialRecord], to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        try AtomicFile.write(to: path) { file in
            for record in records {
                let line = try encoder.encode(record.withoutLatency) + Data("\n".utf8)
                try line.withUnsafeBytes { try file.append($0) }
            }
        }
    }
}
