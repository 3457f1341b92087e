import Evaluation
import Foundation
import Metrics

/// Recall by recording, as a table of those with misses.
struct RecordingContent {
    let summary: String
    let table: FigureTable

    private static let mostRows = 4

    /// Nil without positives.
    init?(_ model: ReportModel) {
        guard !model.recordings.isEmpty else { return nil }
        let missed = model.recordings.filter { $0.misses > 0 }
        let found = model.recordings.count - missed.count
        summary =
            missed.isEmpty
            ? "Every query of \(NumberText.count(found, "recording")) was found."
            : (WorstRecordings(model.recordings).map { $0.sentence + " " } ?? "")
                + "Recordings with misses, most first."
                + (found == 0
                    ? ""
                    : " Every query of the other \(NumberText.count(found, "recording")) was found.")
                + (missed.count > Self.mostRows ? " The table shows the first \(Self.mostRows)." : "")
        func sound(_ recording: RecordingScore, _ text: (RecordingSound) -> String) -> String {
            NumberText.optional(recording.facts?.sound, text)
        }
        table = FigureTable(
            "Recordings with misses", label: "Recall by recording",
            columns: [
                "Recording", "Queries", "Missed", "Recall", "Album", "Loudness\ndBFS", "Centroid\nHz",
                "Peaks",
            ], styles: [3: "number lead", 4: "text"],
            rows: missed.prefix(Self.mostRows).map { recording in
                [
                    recording.title, NumberText.count(recording.score.recall.trials),
                    NumberText.count(recording.misses), NumberText.rate(recording.score.recall),
                    recording.album, sound(recording) { NumberText.fixed($0.loudnessDecibels, digits: 1) },
                    sound(recording) { NumberText.significant($0.spectralCentroidHertz) },
                    sound(recording) { NumberText.significant($0.peaksPerFrame) },
                ]
            })
    }
}

extension RecordingScore {
    var title: String { Self.title(of: name) }

    /// The name of the file without its folder and extension.
    static func title(of name: String) -> String {
        ((name as NSString).lastPathComponent as NSString).deletingPathExtension
    }
}

/// The few recordings with the most misses.
struct WorstRecordings {
    let recordings: ArraySlice<RecordingScore>
    let misses: Int
    let allMisses: Int
    private let count: Int
    private let own: Proportion
    private let others: Proportion

    private static let mostNamed = 4

    /// Nil without misses, or where few recordings are all there are.
    init?(_ all: [RecordingScore]) {
        guard all.count > Self.mostNamed else { return nil }
        recordings = all.prefix(Self.mostNamed).filter { $0.misses > 0 }[...]
        guard !recordings.isEmpty else { return nil }
        count = all.count
        misses = recordings.reduce(0) { $0 + $1.misses }
        allMisses = all.reduce(0) { $0 + $1.misses }
        own = Self.recall(recordings)
        others = Self.recall(all[recordings.count...])
    }

    private static func recall(_ recordings: ArraySlice<RecordingScore>) -> Proportion {
        Proportion(
            recordings.reduce(0) { $0 + $1.score.recall.successes },
            of: recordings.reduce(0) { $0 + $1.score.recall.trials })
    }

    var sentence: String {
        let names = recordings.map { "\($0.title) (\(NumberText.rate($0.score.recall)))" }
        let list =
            names.count == 1
            ? names[0] : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
        return "\(headline): \(list). Their recall is \(NumberText.rate(own)), that of the others "
            + "\(NumberText.rate(others))."
    }

    /// `111 of 306 misses come from 4 of 22 recordings`.
    var headline: String {
        "\(NumberText.count(misses)) of \(NumberText.count(allMisses, "miss comes", "misses come")) from "
            + "\(recordings.count) of \(NumberText.count(count)) recordings"
    }
}
