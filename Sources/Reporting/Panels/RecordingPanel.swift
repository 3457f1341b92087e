// SPDX-License-Identifier: GPL-3.0-or-later
import Corpora
import Evaluation
import Foundation
import Metrics

/// Recall by recording, as a table of those with misses.
struct RecordingPanel: ReportPanel {
    private static let mostRows = 4

    init(_ model: ReportModel) {}

    /// Nil without positives.
    func section(_ model: ReportModel) -> FigureSection? {
        guard !model.recordings.isEmpty else { return nil }
        let missed = model.recordings.filter { $0.misses > 0 }
        return FigureSection(
            id: "recordings", title: "Recordings", text: Self.text(model, missed),
            tables: missed.isEmpty ? [] : [Self.table(missed)],
            folds: missed.isEmpty ? [] : [Self.method])
    }

    private static func text(_ model: ReportModel, _ missed: [RecordingScore]) -> String {
        let found = model.recordings.count - missed.count
        guard !missed.isEmpty else { return "Every query of \(found.text("recording")) was found." }
        return (WorstRecordings(model.recordings).map { $0.sentence + " " } ?? "")
            + "Recordings with misses, most first."
            + (found == 0 ? "" : " Every query of the other \(found.text("recording")) was found.")
            + (missed.count > mostRows ? " The table shows the first \(mostRows)." : "")
    }

    private static func table(_ missed: [RecordingScore]) -> FigureTable {
        FigureTable(
            "Recordings with misses", label: "Recall by recording",
            [
                .init("Recording", for: \.title), .init("Queries", for: \.score.recall.trials.text),
                .init("Missed", for: \.misses.text), .init("Recall", for: \.score.recall.text),
                .init("Album", for: \.album),
                .init("Loudness\ndBFS") { NumberText.fixed($0.facts?.sound?.loudnessDecibels, digits: 1) },
                .init("Centroid\nHz") { NumberText.significant($0.facts?.sound?.spectralCentroidHertz) },
                .init("Peaks") { NumberText.significant($0.facts?.sound?.peaksPerFrame) },
            ], styles: [3: "number lead", 4: "text"], rows: missed.prefix(mostRows))
    }

    private static let method = FigureFold(
        summary: "How the sound is measured",
        more:
            "Loudness is the root mean square in decibels of full scale. The centroid is the mean frequency, weighted by "
            + "power. Peaks are those of a frame of 0.1 s, within 0–4 kHz and 30 dB of the highest. Every recording is in "
            + "recordings.csv.")
}
