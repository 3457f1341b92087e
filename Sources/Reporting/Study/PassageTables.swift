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

    /// `truth.csv`: one row for each true passage, for each that may be found and need not be, and for each reference.
    ///
    /// The rows of references have no begin and end. ``PassageTruth`` reads the table.
    static func truth(_ outcome: PassageOutcome) -> String {
        struct Row {
            var referenceID: String
            var airing: Airing?
            var seconds: ClosedRange<Double>?
            var isRequired: Bool?

            /// The end of the stretch of the reference, or of its twin.
            var referenceEnd: Double? {
                guard let airing, let seconds else { return nil }
                guard isRequired == false else { return airing.referenceRange.upperBound }
                let length = seconds.upperBound - seconds.lowerBound
                return airing.referenceRange.lowerBound + length * (1 + airing.timeSkew)
            }
        }
        typealias Column = Table<Row>.Column
        func permitted(_ shared: Airing.Shared, of airing: Airing? = nil) -> Row {
            Row(
                referenceID: shared.referenceID, airing: airing, seconds: shared.queryRange, isRequired: false
            )
        }
        var rows = outcome.airings.flatMap { airing in
            [
                Row(
                    referenceID: airing.referenceID, airing: airing, seconds: airing.queryRange,
                    isRequired: true)
            ] + (airing.shared.map { [permitted($0, of: airing)] } ?? [])
        }
        rows += outcome.permitted.map { permitted($0) }
        rows += (outcome.catalog ?? []).map { Row(referenceID: $0) }
        return Table<Row>([
            Column("reference", exactText: \.referenceID),
            Column("begin", number: \.seconds?.lowerBound), Column("end", number: \.seconds?.upperBound),
            Column("required", flag: \.isRequired), Column("kind", text: \.airing?.kind.rawValue),
            Column("referenceBegin", number: \.airing?.referenceRange.lowerBound),
            Column("referenceEnd", number: \.referenceEnd),
            Column("frequencySkew", number: \.airing?.frequencySkew),
            Column("timeSkew", number: \.airing?.timeSkew),
            Column("fadeInSeconds", number: \.airing?.fadeInSeconds),
            Column("fadeOutSeconds", number: \.airing?.fadeOutSeconds),
            Column("voiceOverBegin", number: \.airing?.voiceOver?.lowerBound),
            Column("voiceOverEnd", number: \.airing?.voiceOver?.upperBound),
            Column("recordingSeconds", number: { _ in outcome.durationSeconds }),
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
    static var figures: [Table<PassageScore.Figure>.Column] {
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
