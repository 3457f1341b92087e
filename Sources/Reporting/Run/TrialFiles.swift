import Foundation
import SystemIO

/// The details of trials that lie beside the page, each a script that a page opened from disk can load.
enum TrialFiles {
    /// The folder they lie in, beside the page.
    private static let folderName = "trials"

    /// The name of the file of a trial, by its place in the order of the plan.
    static func name(_ place: Int) -> String {
        let digits = String(place)
        return "trial-" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".js"
    }

    /// Writes what the page does not hold itself; files of an earlier report are removed.
    static func write(_ model: ReportModel, to report: String) throws {
        let folder = report + "/" + folderName
        let shown = model.shown
        var written: Set<String> = []
        for (place, trial) in model.trials.enumerated() {
            let name = trial.record.trialID
            guard let detail = shown.details[name], !shown.embedded.contains(name) else { continue }
            if written.isEmpty {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
            let json = try ScriptJSON.text(TrialDetailData(detail, of: trial))
            try AtomicFile.write("earshotTrial(\(place), \(json));\n", to: "\(folder)/\(self.name(place))")
            written.insert(self.name(place))
        }
        let found = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for file in found where file.wholeMatch(of: #/trial-\d+\.js/#) != nil && !written.contains(file) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
        }
        if !found.isEmpty, written.isEmpty { rmdir(folder) }
    }
}
