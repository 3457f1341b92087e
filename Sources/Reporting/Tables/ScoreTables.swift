import Degradations
import Evaluation
import Metrics

extension RunTable {
    /// Its figures are those of ``ScoreFigure/all``.
    static var cells: RunTable {
        typealias Column = Table<CellScore>.Column
        let groups = ConditionGroup.allCases.map(\.rawValue)
        let columns = [
            Column(
                "group",
                "kind of condition: \(groups.dropLast().joined(separator: ", ")) or \(groups[groups.count - 1])",
                text: { $0.group.rawValue }),
            Column("degradation", "family of the plan", text: { $0.key.degradation }),
            Column("severity", "strength as printed", text: { $0.key.severity }),
            Column(
                "severityValue", "strength as a number", unit: "of the family",
                number: { $0.severityValue }),
            Column("lengthSeconds", "requested query length", number: { $0.key.lengthSeconds }),
            Column(
                "status", "`ok`, `errors` or `not offered`",
                text: { $0.score.isNotOffered ? "not offered" : $0.score.errors > 0 ? "errors" : "ok" }),
        ]
        return RunTable(
            "cells.csv",
            "One row for each cell, in the order of the plan: the trials of one degradation, severity and length.",
            columns + ScoreFigure.shown(in: .cells).flatMap { $0.columns(of: \.score) }, of: \.cells)
    }

    static var recordings: RunTable {
        typealias Column = Table<RecordingScore>.Column
        let counts = [
            Column("recording", "name in the corpus", text: { $0.name }),
            Column("sourceClass", "equivalence class", text: { $0.cluster }),
            Column("album", "folder in the corpus", text: { $0.album }),
            Column("positives", "queries", count: { $0.score.outcomes.positives }),
            Column("correct", "queries with this outcome", count: { $0.score.outcomes.correct }),
            Column(
                "wrongReference", "queries with this outcome", count: { $0.score.outcomes.wrongReference }),
            Column("missed", "queries with this outcome", count: { $0.score.outcomes.missed }),
            Column("misses", "missed or wrong reference", count: { $0.misses }),
        ]
        let figures = ScoreFigure.shown(in: .recordings).flatMap { figure -> [Column] in
            figure.columns(of: \.score).filter { $0.name == figure.mainColumn }
        }
        let sound = [
            Column("durationSeconds", "length", number: { $0.facts?.durationSeconds }),
            Column(
                "loudnessDecibels", "root mean square of the mono mix, of full scale",
                number: { $0.facts?.sound?.loudnessDecibels }),
            Column(
                "spectralCentroidHertz", "mean frequency, weighted by power",
                number: { $0.facts?.sound?.spectralCentroidHertz }),
            Column(
                "peaksPerFrame", "mean spectral peaks in 0.1 s, within 0–4 kHz and 30 dB of the highest",
                unit: "count", number: { $0.facts?.sound?.peaksPerFrame }),
        ]
        return RunTable(
            "recordings.csv",
            "One row for each enrolled recording that queries were cut from, those with the most misses first.",
            counts + figures + sound, of: \.recordings)
    }
}

extension ScoreFigure {
    /// Its columns in a table with a scorecard for each row.
    func columns<Row>(of score: @escaping (Row) -> Scorecard) -> [Table<Row>.Column] {
        typealias Column = Table<Row>.Column
        let unit = value.unit.rawValue
        func number(_ part: String, _ meaning: String, _ value: @escaping (Scorecard) -> Double?) -> Column {
            Column(column(part), meaning, unit: unit, number: { value(score($0)) })
        }
        switch value {
        case .count(let count): return [Column(id, meaning, count: { count(score($0)) })]
        case .number(_, let value): return [number("", meaning, value)]
        case .audio(let seconds, _): return [number("", meaning, seconds)]
        case .rate(let rate, let interval):
            var kind = ""
            if case .fitted = interval { kind = " with the threshold found again in each draw of recordings" }
            let counts = [
                Column("\(id)Count", "numerator of `\(id)`", count: { rate(score($0)).successes }),
                Column("\(id)Of", "denominator of `\(id)`", count: { rate(score($0)).trials }),
                number("", meaning) { rate($0).rate },
            ]
            let ends = Column.interval(
                lower: "\(id)Lower", upper: "\(id)Upper", kind: "\(kind), clustered by class"
            ) { self.interval(of: score($0)) }
            let clusters = Column(
                "\(id)Clusters", "classes in the denominator", count: { rate(score($0)).clusters })
            let effective = Column(
                "\(id)EffectiveTrials", "independent trials with the same interval", unit: "count",
                number: { rate(score($0)).effectiveTrials })
            return counts + ends + [clusters] + (kind.isEmpty ? [effective] : [])
        case .errors(_, let errors):
            return [
                number("Bias", "mean of \(meaning)") { errors($0)?.bias },
                number("Median", "median magnitude of the same") { errors($0)?.medianAbsolute },
                number("Percentile95", "95th percentile of the magnitudes") {
                    errors($0)?.percentile95Absolute
                },
                number("Maximum", "largest magnitude") { errors($0)?.maximumAbsolute },
            ]
        case .latency(let latency):
            let fewest = LatencyByKind.fewestTrials
            return [
                Column(
                    "\(id)Trials", "timed \(meaning); empty below \(fewest)",
                    count: { latency(score($0).latency)?.count }),
                number("Median", "median time from samples to answers") { latency($0.latency)?.median },
                number("Percentile95", "95th percentile of the same") {
                    latency($0.latency)?.percentile95
                },
            ]
        case .first: return []
        }
    }
}
