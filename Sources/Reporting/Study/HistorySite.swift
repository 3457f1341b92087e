// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Foundation

/// A history as a folder that any web server serves: an index, the page of each run, and JSON for other programs.
package struct HistorySite: Report {
    private let history: HistoryReport
    /// The folder of a run in the site by the path of its summary.
    private let places: [String: String]

    /// The file by which a folder is known as a site.
    private static let mark = "history.json"

    package init(_ runs: [HistoryRun]) {
        var history = HistoryReport(runs)
        let ordered = history.panels.flatMap(\.runs)
        places = Dictionary(
            uniqueKeysWithValues: ordered.enumerated().map { number, run in
                (run.path, "runs/\(run.summary.run.startedAt.prefix(10).filter(\.isPlain))-\(number + 1)")
            })
        history.pages = places.filter { FileManager.default.fileExists(atPath: Self.page(of: $0.key)) }
            .mapValues { $0 + "/report.html" }
        self.history = history
    }

    /// Throws where the folder holds something that is no site.
    package static func requireSite(_ folder: String) throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard names.isEmpty || names.contains(mark) else {
            throw HistoryError("\(folder): holds something else; expected no folder, an empty one or a site")
        }
    }

    /// The changes as lines for a terminal.
    package var summary: String { history.summary }

    package func files(charts: ChartLibrary?) throws -> [ReportFile] {
        let copies = history.panels.flatMap(\.runs).flatMap { run -> [ReportFile] in
            let place = places[run.path] ?? ""
            func copy(_ name: String, of path: String) -> ReportFile {
                ReportFile("\(place)/\(name)", try String(contentsOfFile: path, encoding: .utf8))
            }
            let page = Self.page(of: run.path)
            return [copy("summary.json", of: run.path)]
                + (history.pages[run.path] == nil ? [] : [copy("report.html", of: page)])
        }
        return copies + [
            ReportFile("history.csv", history.csv), ReportFile(Self.mark, try JSONText.pretty(json)),
            ReportFile("index.html", try history.html(charts: charts)),
        ]
    }

    private static func page(of summary: String) -> String {
        (summary as NSString).deletingLastPathComponent + "/report.html"
    }

    private var json: [JSONObject] {
        history.panels.map { panel in
            [
                "name": panel.name,
                "runs": panel.runs.map { run -> JSONObject in
                    let facts = run.summary.run
                    return [
                        "startedAt": facts.startedAt, "commit": facts.commit,
                        "version": facts.matcher.version, "page": history.pages[run.path],
                        "summary": places[run.path].map { $0 + "/summary.json" },
                    ]
                }, "changes": panel.changes.map(Table(HistoryReport.changeColumns).object),
            ]
        }
    }
}

extension Character {
    /// Whether it is safe in a name of a file and in an address.
    fileprivate var isPlain: Bool { self == "-" || isASCII && (isNumber || isLetter) }
}
