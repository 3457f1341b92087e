import AudioCore
import Studies

enum PassageTables {
    /// `references.csv`: one row for each reference of a recording.
    static func references(_ recording: PassageRecording) -> String {
        let rate = Double(recording.sampleRate)
        return CSVTable<PassageReference>([
            .init("reference", exactText: \.id),
            .init("kind", text: \.kind.rawValue),
            .init("lengthSeconds", number: { Double($0.frameCount) / rate }),
            .init("twin", text: \.twin),
            .init("sharedSeconds", number: { $0.twin == nil ? nil : Double($0.sharedFrames) / rate }),
            .init("source", text: { $0.pieces.map(\.track).joined(separator: " ") }),
        ]).text(recording.references)
    }

    /// `truth.csv`: one row for each true passage, and for each that may be found and need not be.
    static func truth(_ airings: [Airing]) -> String {
        typealias Row = (airing: Airing, shared: Airing.Shared?)
        typealias Column = CSVTable<Row>.Column
        let rows = airings.flatMap { airing in
            [Row(airing, nil)] + (airing.shared.map { [Row(airing, $0)] } ?? [])
        }
        return CSVTable<Row>([
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
        ]).text(rows)
    }
}
