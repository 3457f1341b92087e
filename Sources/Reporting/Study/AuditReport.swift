import Corpora
import SystemIO

/// The findings of an audit of a corpus.
package struct AuditReport: Report {
    private let name: String
    private let findings: EquivalenceAudit.Findings
    private let rows: [AuditFinding]

    /// Sorts findings that no lock knows first, then known ones, then repeats.
    package init(name: String, findings: EquivalenceAudit.Findings) {
        self.name = name
        self.findings = findings
        let rank: (AuditFinding) -> Int = { $0.kind == .repeat ? 2 : $0.isKnown ? 1 : 0 }
        rows = findings.findings.enumerated().sorted {
            (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
        }.map(\.element)
    }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [ReportFile("\(name).json", try json()), ReportFile("\(name).csv", csv)]
    }

    /// One row for each finding.
    var csv: String {
        Table<AuditFinding>([
            .init("kind", text: { $0.kind.rawValue }),
            .init("verdict", text: { $0.verdict.rawValue }),
            .init("known", flag: { $0.isKnown }),
            .init("first", text: { $0.first }),
            .init("second", text: { $0.second }),
            .init("firstSeconds", number: { $0.firstSeconds }),
            .init("secondSeconds", number: { $0.secondSeconds }),
            .init("lengthSeconds", number: { $0.lengthSeconds }),
            .init("timeSkew", number: { $0.timeSkew }),
            .init("correlation", number: { $0.correlation }),
            .init("prominence", number: { $0.prominence }),
            .init("score", number: { $0.score }),
        ]).csv(rows)
    }

    private func json() throws -> String {
        let object: JSONObject = [
            "schemaVersion": 1, "name": name, "recordings": findings.recordings, "seconds": findings.seconds,
            "classes": findings.classes, "findings": rows, "unreadable": findings.unreadable,
        ]
        return try JSONText.pretty(object)
    }

    /// Counts by kind, then at most 40 findings that are new or in doubt.
    package var summary: String {
        let limit = 40
        let hours = (findings.seconds / 360).rounded() / 10
        var lines = [
            "\(name): \(findings.recordings.counting("recording")), \(hours) hours, "
                + "\(findings.windows.counting("window")) looked up, "
                + "\(findings.classes.count.counting("class", "classes")) of recordings that share audio"
        ]
        for kind in AuditFinding.Kind.allCases {
            let found = rows.filter { $0.kind == kind }
            let new = found.count { !$0.isKnown && $0.verdict == .confirmed }
            let suspects = found.count { $0.verdict == .suspect }
            lines.append(
                "  \(Self.word(kind)): \(found.count)"
                    + (kind == .repeat
                        ? " in \(Set(found.map(\.first)).count.counting("recording"))"
                        : ", \(new) of them new, \(suspects) for a person to judge"))
        }
        let open = rows.filter { $0.kind != .repeat && !$0.isKnown }
        if !open.isEmpty { lines += ["", "New or in doubt"] }
        lines += open.prefix(limit).map { "  " + Self.line($0) }
        if open.count > limit { lines.append("  … and \(open.count - limit) more") }
        if !findings.unreadable.isEmpty { lines += ["", "Could not be read"] }
        lines += findings.unreadable.map { "  \($0.id): \($0.message)" }
        return lines.joined(separator: "\n")
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
