import Foundation
import Studies
import SystemIO

/// Writes what a search for limits found.
package enum FrontierWriter {
    /// Writes `frontier.csv` and `frontier.html` into `folder`, each whole or not at all.
    package static func write(_ result: FrontierResult, to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try AtomicFile.write(FrontierCSV.text(result), to: "\(folder)/frontier.csv")
        try AtomicFile.write(FrontierPage.html(result), to: "\(folder)/frontier.html")
    }
}
