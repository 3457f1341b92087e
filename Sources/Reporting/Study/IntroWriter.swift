import Foundation
import SystemIO

/// Writes what a study of intros found.
package enum IntroWriter {
    /// Writes `trials.csv`, `cells.csv`, `delays.csv`, `tags.csv`, `confusion.csv` and `intros.html` into `folder`, which is
    /// made when it does not exist; each appears whole or not at all, the page last.
    ///
    /// - Parameter charts: the chart library to put into the page; without one the page has tables only.
    package static func write(
        _ model: IntroModel, to folder: String, charts: ChartLibrary? = .installed()
    ) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let files: [(name: String, text: String)] = [
            ("trials.csv", IntroTrialsCSV.text(model.records, margin: model.plan.margin)),
            ("cells.csv", IntroTables.cells(model.score)),
            ("delays.csv", IntroTables.delays(model.score)),
            ("tags.csv", IntroTables.tags(model.tags)),
            ("confusion.csv", IntroTables.confusion(model.score)),
            ("intros.html", try IntroPage.html(model, charts: charts)),
        ]
        for file in files { try AtomicFile.write(file.text, to: "\(folder)/\(file.name)") }
    }
}
