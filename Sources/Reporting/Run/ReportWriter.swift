import Foundation
import SystemIO

/// Writes the files of a report.
package enum ReportWriter {
    /// Writes `trials.csv`, `cells.csv`, `reliability.csv`, `det.csv`, `snr.csv`, `skew.csv`,
    /// `summary.json` and `report.html` into `folder`, which is made when it does not exist.
    ///
    /// Trials that are shown in full and do not fit into the page lie in a folder `trials` beside it.
    ///
    /// Each file appears whole or not at all; the page comes last, so that where it is new all is.
    ///
    /// - Parameters:
    ///   - model: what to write.
    ///   - folder: where to.
    ///   - charts: the chart library to put into the page; without one the page has tables only.
    package static func write(
        _ model: ReportModel, to folder: String, charts: ChartLibrary? = .installed()
    ) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try TrialFiles.write(model, to: folder)
        // Of a large run each is tens of megabytes, so they are made one after the other.
        let files: [(name: String, text: (ReportModel) throws -> String)] = [
            ("trials.csv", TrialsCSV.text),
            ("cells.csv", CellsCSV.text),
            ("reliability.csv", ReliabilityCSV.text),
            ("det.csv", DetectionCSV.text),
            ("snr.csv", NoiseCSV.text),
            ("skew.csv", SkewCSV.text),
            ("summary.json", SummaryJSON.text),
            ("report.html", { try ReportPage.html($0, charts: charts) }),
        ]
        for file in files { try AtomicFile.write(file.text(model), to: "\(folder)/\(file.name)") }
    }
}
