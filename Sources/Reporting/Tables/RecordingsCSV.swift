import Evaluation

/// `recordings.csv`: one row for each recording that positives were cut from, those with the most misses first.
enum RecordingsCSV {
    private typealias Column = CSVTable<RecordingScore>.Column

    static func text(_ model: ReportModel) -> String { CSVTable(columns).text(model.recordings) }

    private static var columns: [Column] {
        [
            Column("recording", text: { $0.name }),
            Column("sourceClass", text: { $0.cluster }),
            Column("album", text: { $0.album }),
            Column("positives", count: { $0.score.outcomes.positives }),
            Column("correct", count: { $0.score.outcomes.correct }),
            Column("wrongReference", count: { $0.score.outcomes.wrongReference }),
            Column("missed", count: { $0.score.outcomes.missed }),
            Column("misses", count: { $0.misses }),
            Column("recall", number: { $0.score.recall.rate }),
            Column("recallAtZeroFalseAccepts", number: { $0.score.recallAtZeroFalseAccepts.rate }),
            Column("rightPlace", number: { $0.score.share(of: .right).rate }),
            Column("durationSeconds", number: { $0.facts?.durationSeconds }),
            Column("loudnessDecibels", number: { $0.facts?.sound?.loudnessDecibels }),
            Column("spectralCentroidHertz", number: { $0.facts?.sound?.spectralCentroidHertz }),
            Column("peaksPerFrame", number: { $0.facts?.sound?.peaksPerFrame }),
        ]
    }
}
