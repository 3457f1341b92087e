import AudioCore
import Metrics
import Studies

enum PassageTables {
    /// `references.csv`: one row for each reference of a recording.
    static func references(_ recording: PassageRecording) -> String {
        let rate = Double(recording.sampleRate)
        return Table<PassageReference>([
            .init("reference", exactText: \.id),
            .init("kind", text: \.kind.rawValue),
            .init("lengthSeconds", number: { Double($0.frameCount) / rate }),
            .init("twin", text: \.twin),
            .init("sharedSeconds", number: { $0.twin == nil ? nil : Double($0.sharedFrames) / rate }),
            .init("source", text: { $0.pieces.map(\.track).joined(separator: " ") }),
        ]).csv(recording.references)
    }

    /// `truth.csv`: one row for each true passage, and for each that may be found and need not be.
    static func truth(_ airings: [Airing]) -> String {
        typealias Row = (airing: Airing, shared: Airing.Shared?)
        typealias Column = Table<Row>.Column
        let rows = airings.flatMap { airing in
            [Row(airing, nil)] + (airing.shared.map { [Row(airing, $0)] } ?? [])
        }
        return Table<Row>([
            Column("reference", exactText: { $0.shared?.referenceID ?? $0.airing.referenceID }),
            Column("begin", number: { ($0.shared?.queryRange ?? $0.airing.queryRange).lowerBound }),
            Column("end", number: { ($0.shared?.queryRange ?? $0.airing.queryRange).upperBound }),
            Column("required", flag: { $0.shared == nil }),
            Column("kind", text: { $0.airing.kind.rawValue }),
            Column("referenceBegin", number: { $0.airing.referenceRange.lowerBound }),
            Column(
                "referenceEnd",
                number: { row in
                    guard let shared = row.shared else { return row.airing.referenceRange.upperBound }
                    let length = shared.queryRange.upperBound - shared.queryRange.lowerBound
                    return row.airing.referenceRange.lowerBound + length * (1 + row.airing.timeSkew)
                }),
            Column("frequencySkew", number: \.airing.frequencySkew),
            Column("timeSkew", number: \.airing.timeSkew),
            Column("fadeInSeconds", number: \.airing.fadeInSeconds),
            Column("fadeOutSeconds", number: \.airing.fadeOutSeconds),
            Column("voiceOverBegin", number: \.airing.voiceOver?.lowerBound),
            Column("voiceOverEnd", number: \.airing.voiceOver?.upperBound),
        ]).csv(rows)
    }

    /// `passages.csv`: one row for each true passage and its answer, and for each other answer.
    static var passages: [Table<PassageScore.Row>.Column] {
        [
            .init("verdict", text: \.verdict.rawValue),
            .init("reference", exactText: { $0.airing?.referenceID ?? $0.answer?.passage.referenceID }),
            .init("kind", text: \.airing?.kind.rawValue),
            .init("begin", number: \.airing?.queryRange.lowerBound),
            .init("end", number: \.airing?.queryRange.upperBound),
            .init("answeredBegin", number: \.answer?.passage.queryRange.lowerBound),
            .init("answeredEnd", number: \.answer?.passage.queryRange.upperBound),
            .init("beginErrorSeconds", number: \.beginErrorSeconds),
            .init("endErrorSeconds", number: \.endErrorSeconds),
            .init("overlap", number: \.overlap),
            .init("referenceBegin", number: \.airing?.referenceRange.lowerBound),
            .init("answeredReferenceBegin", number: \.answer?.passage.referenceRange.lowerBound),
            .init("frequencySkew", number: \.airing?.frequencySkew),
            .init("answeredFrequencySkew", number: \.answer?.passage.frequencySkew),
            .init("timeSkew", number: \.airing?.timeSkew),
            .init("answeredTimeSkew", number: \.answer?.passage.timeSkew),
            .init("fadeInSeconds", number: \.airing?.fadeInSeconds),
            .init("fadeOutSeconds", number: \.airing?.fadeOutSeconds),
            .init("voiceOver", flag: { $0.airing.map { $0.voiceOver != nil } }),
            .init("score", number: \.answer?.passage.score),
            .init("confidence", number: \.answer?.passage.confidence),
            .init("delaySeconds", number: \.delaySeconds),
        ]
    }

    /// `figures.csv`: one row for each figure of the whole recording; a share has an interval and counts.
    static func figures(_ score: PassageScore) -> [Figure] {
        func share(_ name: String, _ rate: Proportion) -> Figure { (name, rate.rate, rate) }
        return [
            share("found", score.all.found), share("precision", score.precision), ("f1", score.f1, nil),
            ("secondsRecall", score.seconds.recall, nil), ("secondsPrecision", score.seconds.precision, nil),
            ("secondsF1", score.seconds.f1, nil), ("intersectionRecall", score.intersection.recall, nil),
            ("intersectionPrecision", score.intersection.precision, nil),
            ("intersectionF1", score.intersection.f1, nil), ("area", score.area.value, nil),
            ("falsePerHour", score.falsePerHour.rate, nil),
            ("duplicates", Double(score.count(.duplicate)), nil),
            ("fragments", Double(score.count(.fragment)), nil),
        ]
    }

    typealias Figure = (name: String, value: Double?, rate: Proportion?)

    static var figure: [Table<Figure>.Column] {
        [
            .init("figure", text: { $0.name }), .init("value", number: { $0.value }),
            .init("lower", number: { $0.rate?.wilsonInterval()?.lower }),
            .init("upper", number: { $0.rate?.wilsonInterval()?.upper }),
            .init("count", count: { $0.rate?.successes }), .init("of", count: { $0.rate?.trials }),
        ]
    }

    /// `groups.csv`: one row for all true passages, each kind, length and condition.
    ///
    /// - Parameter kind: What the groups have in common, for people.
    static func groups(_ kind: String = "") -> [Table<PassageScore.Group>.Column] {
        func errors(_ name: String, _ errors: @escaping (PassageScore.Group) -> ErrorSummary?) -> [Table<
            PassageScore.Group
        >.Column] {
            [
                .init("\(name)MedianSeconds", number: { errors($0)?.medianAbsolute }),
                .init("\(name)P95Seconds", number: { errors($0)?.percentile95Absolute }),
                .init("\(name)WorstSeconds", number: { errors($0)?.maximumAbsolute }),
            ]
        }
        return [.init("group", head: kind, text: \.name), .init("references", count: \.found.clusters)]
            + Table.Column.share("found", count: "", of: "Of", rate: "Share", \.found) + [
                .init("found") { "\($0.found.text)\n\($0.found.range)" },
                .init("passages") { "\($0.found.trials.text)\n\($0.found.clusters.text("reference"))" },
                .init("hard edges") { group in
                    [group.edgeErrors?.medianAbsolute, group.edgeErrors?.percentile95Absolute].map(
                        NumberText.seconds
                    ).joined(separator: "\n")
                },
            ] + errors("begin", \.beginErrors) + errors("end", \.endErrors) + errors("edge", \.edgeErrors)
    }
}
