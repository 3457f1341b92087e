import Foundation
import Reporting

/// A CSV text read back after RFC 4180: rows of fields by column name.
struct ReadTable {
    let columns: [String]
    let rows: [[String: String]]

    init(_ text: String) {
        var records: [[String]] = []
        var fields: [String] = []
        var field = ""
        var isQuoted = false
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            if isQuoted {
                guard scalar == "\"" else {
                    field.unicodeScalars.append(scalar)
                    continue
                }
                if scalars.first == "\"" {
                    scalars.removeFirst()
                    field += "\""
                } else {
                    isQuoted = false
                }
                continue
            }
            switch scalar {
            case "\"": isQuoted = true
            case ",":
                fields.append(field)
                field = ""
            case "\r" where scalars.first == "\n":
                scalars.removeFirst()
                records.append(fields + [field])
                (fields, field) = ([], "")
            default: field.unicodeScalars.append(scalar)
            }
        }
        columns = records.first ?? []
        let names = columns
        rows = records.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(names, $0)) }
    }
}

/// The files of a report, written to a folder of their own and read back.
struct WrittenReport {
    /// The text of every CSV file by its name.
    let tables: [String: String]
    let trials: String
    let cells: String
    let recordings: String
    let reliability: String
    let detection: String
    let noise: String
    let skew: String
    let summary: String
    let columns: String
    let page: String

    init(_ model: ReportModel, charts: ChartLibrary? = .installed()) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "earshot-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try model.write(to: folder.path, charts: charts)
        func read(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".csv") }
        tables = Dictionary(uniqueKeysWithValues: try names.map { ($0, try read($0)) })
        trials = try read("trials.csv")
        cells = try read("cells.csv")
        recordings = try read("recordings.csv")
        reliability = try read("reliability.csv")
        detection = try read("det.csv")
        noise = try read("snr.csv")
        skew = try read("skew.csv")
        summary = try read("summary.json")
        columns = try read("columns.json")
        page = try read("report.html")
    }

    /// The page with all scripts and their data taken out.
    var markup: String {
        let parts = page.components(separatedBy: "<script")
        let rest = parts.dropFirst().map { part in
            part.range(of: "</script>").map { String(part[$0.upperBound...]) } ?? part
        }
        return parts[0] + rest.joined()
    }

    /// The rows of cells in the page: what each row's attributes and figures say.
    var pageCells: [[String: String]] {
        markup.matches(of: #/<tr id="cell-\d+" class="cell"([^>]*)>([\s\S]*?)</tr>/#).map { row in
            var fields: [String: String] = [:]
            for attribute in row.output.1.matches(of: #/data-([a-z]+)="([^"]*)"/#) {
                fields[String(attribute.output.1)] = String(attribute.output.2)
            }
            for figure in row.output.2.matches(of: #/data-field="([A-Za-z0-9]+)" data-value="([^"]*)"/#) {
                fields[String(figure.output.1)] = String(figure.output.2)
            }
            if row.output.2.contains("not offered") { fields["status"] = "not offered" }
            return fields
        }
    }
}

/// The bytes of `text` as characters U+0000–U+00FF, none of which combine with each other.
///
/// A browser reads scalars; a search by Characters would not find a quote with an accent on it.
func bytewise(_ text: String) -> String { String(decoding: text.utf8.map(UInt16.init), as: UTF16.self) }
