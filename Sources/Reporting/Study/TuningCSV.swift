import Matchers
import Studies

/// `tuning.csv`: one row a candidate; the columns that differ from run to run stand last.
enum TuningCSV {
    static func text(_ result: TuningResult) -> String {
        typealias Column = CSVTable<TuningResult.Candidate>.Column
        var columns = [
            Column("candidate", count: \.number),
            Column("origin", text: \.origin.rawValue),
        ]
        let names = Set(result.candidates.flatMap(\.settings.keys)).sorted()
        columns += names.map { name in Column(name, number: { $0.settings[name] }) }
        columns += [
            Column("rungs", count: \.rungs.count),
            Column("positives", count: \.rungs.last?.positives),
            Column("negatives", count: \.rungs.last?.negatives),
            Column("recallAtZeroFalseAccepts", number: \.rungs.last?.recallAtZeroFalseAccepts),
            Column("rightTopShare", number: \.rungs.last?.rightTopShare),
            Column("indexBytes", count: \.rungs.last?.indexBytes),
            Column("isWinner", flag: { $0.number == result.winner }),
            Column("failure", text: \.failure),
            Column("isOnFront", flag: \.isOnFront),
            Column("medianMilliseconds", number: \.rungs.last?.medianMilliseconds),
        ]
        return CSVTable(columns: columns).text(result.candidates)
    }
}
