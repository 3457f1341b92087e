import Evaluation
import Foundation
import SystemIO

/// Every raw outcome as a line of JSON: the query, its truth and all candidates.
///
/// Equal outcomes give equal bytes: keys are sorted, trials are in the order of the plan, and latency is left out.
package enum OutcomesJSONL {
    package static func write(_ records: [TrialRecord], to path: String) throws {
        let encoder = JSONText.encoder()
        try AtomicFile.write(to: path) { file in
            for record in records {
                let line = try encoder.encode(record.withoutCircumstances) + Data("\n".utf8)
                try line.withUnsafeBytes { try file.append($0) }
            }
        }
    }
}
