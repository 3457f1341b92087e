import Corpora
import Foundation
import SystemIO

/// What an audit found, as files and for a terminal.
package struct AuditReport {
    private let name: String
    private let findings: EquivalenceAudit.Findings
    private let rows: [AuditFinding]

    /// Takes the findings of an audit of what `name` names.
    ///
    /// What no lock knows comes first, then what is known, then repeats.
    package init(name: String, findings: EquivalenceAudit.Findings) {
        self.name = name
        self.findings = findings
        let rank: (AuditFinding) -> Int = { $0.kind == .repeat ? 2 : $0.isKnown ? 1 : 0 }
        rows = findings.findings.enumerated().sorted {
            (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
        }.map(\.element)
    }

    /// Writes `NAME.csv` and `NAME.json` into `folder`, which is made when it does not exist.
    ///
    /// - Returns: the path of the CSV file.
    package func write(to folder: String) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/\(name)"
        try AtomicFile.write(json(), to: path + ".json")
        try AtomicFile.write(csv, to: path + ".csv")
        return path + ".csv"
    }

    /// One row a finding.
    var csv: String {
        typealias Column = CSVTable<AuditFinding>.Column
        return CSVTable(columns: [
            Column("kind", text: { $0.kind.rawValue }),
            Column("verdict", text: { $0.verdict.rawValue }),
            Column("known", flag: { $0.isKnown }),
            Column("first", text: { $0.first }),
            Column("second", text: { $0.second }),
            Column("firstSeconds", number: { $0.firstSeconds }),
            Column("secondSeconds", number: { $0.secondSeconds }),
            Column("lengthSeconds", number: { $0.lengthSeconds }),
            Column("timeSkew", number: { $0.timeSkew }),
            Column("correlation", number: { $0.correlation }),
            Column("prominence", number: { $0.prominence }),
            Column("score", number: { $0.score }),
        ]).text(rows)
    }

    private struct Content: Encodable {
        let schemaVersion = 1
        let name: String
        let recordings: Int
        let seconds: Double
        let classes: [[String]]
        let findings: [AuditFinding]
        let unreadable: [EquivalenceAudit.Unreadable]
    }

    private func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let content = Content(
            name: name, recordings: findings.recordings, seconds: findings.seconds, classes: findings.classes,
            findings: rows, unreadable: findings.unreadable)
        return String(decoding: try encoder.encode(content), as: UTF8.self) + "\n"
    }

    /// Counts by kind, then what is new or in doubt, at most `limit` lines of it.
    package func summary(limit: Int = 40) -> String {
        let hours = (findings.seconds / 360).rounded() / 10
        var lines = [
            "\(name): \(findings.recordings) recordings, \(hours) hours, \(findings.windows) windows looked up, "
                + "\(findings.classes.count) classes of recordings that share audio"
        ]
        for kind in AuditFinding.Kind.allCases {
            let found = rows.filter { $0.kind == kind }
            let new = found.count { !$0.isKnown && $0.verdict == .confirmed }
            let suspects = found.count { $0.verdict == .suspect }
            lines.append(
                "  \(Self.word(kind)): \(found.count)"
                    + (kind == .repeat
                        ? " in \(Set(found.map(\.first)).count) recordings"
                        : ", \(new) of them new, \(suspects) for a person to judge"))
        }
        let open = rows.filter { $0.kind != .repeat && !$0.isKnown }
        if !open.isEmpty { lines += ["", "New or in doubt"] }
        lines += open.prefix(limit).map { "  " + Self.line($0) }
        if open.count > limit { lines.append("  … and \(open.count - limit) more") }
        if !findings.unreadable.isEmpty { lines += ["", "Could not be read"] }
        lines += findings.unreadable.map { "  \($0.id): \($0.message)" }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func word(_ kind: AuditFinding.Kind) -> String {
        switch kind {
        case .duplicate: "duplicates"
        case .sharedSection: "shared sections"
        case .contamination: "contaminated recordings"
        case .repeat: "repeats"
        }
    }

    private static func line(_ finding: AuditFinding) -> String {
        func place(_ name: String, _ start: Double, _ length: Double) -> String {
            "\(name) \(tenths(start))–\(tenths(start + length)) s"
        }
        let score = finding.score.map { ", score \(tenths($0))" } ?? ""
        let skew = finding.timeSkew == 0 ? "" : ", time skew \(NumberText.skew(finding.timeSkew))"
        return "\(finding.verdict.rawValue) \(finding.kind.rawValue): "
            + place(finding.first, finding.firstSeconds, finding.lengthSeconds) + " = "
            + place(finding.second, finding.secondSeconds, finding.lengthSeconds * (1 + finding.timeSkew))
            + ", correlation \((finding.correlation * 100).rounded() / 100)\(score)\(skew)"
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
