import Foundation
import Studies
import SystemIO

/// Writes what a search found.
package enum TuningWriter {
    /// Writes `tuning.json`, `tuning.csv` and `tuning.md` into `folder`, each whole or not at all.
    package static func write(_ result: TuningResult, to folder: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let json = String(decoding: try encoder.encode(result), as: UTF8.self) + "\n"
        for (name, text) in [
            ("tuning.json", json), ("tuning.csv", TuningCSV.text(result)),
            ("tuning.md", TuningPage.text(result)),
        ] {
            try AtomicFile.write(text, to: "\(folder)/\(name)")
        }
    }
}
