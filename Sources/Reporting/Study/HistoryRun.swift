// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Foundation
import Metrics

/// The `summary.json` of a finished run.
package struct HistoryRun: Sendable {
    package let path: String
    let summary: Summary

    /// The keys that a history needs.
    struct Summary: Decodable, Sendable {
        struct Rate: Decodable, Sendable {
            let rate: Double?
            let lower: Double?
            let upper: Double?
        }

        struct Figures: Decodable, Sendable {
            let recall: Rate
            let recallAtZeroFalseAccepts: Rate
            let falseAcceptRate: Rate
            let wrongReferenceRate: Rate
            let frequencySkewError: ErrorSummary?
            let freeFrequencySkewError: ErrorSummary?
            let timeSkewError: ErrorSummary?
            let freeTimeSkewError: ErrorSummary?
            let offsetErrorSeconds: ErrorSummary?
        }

        struct Cost: Decodable, Sendable {
            let latencyMilliseconds: LatencyByKind?
            let indexBytesPerHour: Double?
        }

        let overall: Figures
        let cost: Cost
        let run: RunFacts
    }

    /// Reads a summary.
    ///
    /// - Throws: ``HistoryError`` that names the file and what was expected there.
    package init(path: String) throws {
        self.path = path
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw HistoryError("\(path): cannot be read: \(error.localizedDescription)")
        }
        guard
            let version = try? JSONDecoder().decode([String: SchemaVersion].self, from: data)["schemaVersion"]
        else { throw HistoryError("\(path): expected the summary.json of a run, a JSON object") }
        guard let number = version.number, number <= ReportModel.schemaVersion else {
            throw HistoryError(
                "\(path): schema version \(version.number.map(String.init) ?? "missing"); this program reads "
                    + "up to \(ReportModel.schemaVersion)")
        }
        do {
            summary = try JSONDecoder().decode(Summary.self, from: data)
        } catch let error as DecodingError {
            throw HistoryError("\(path): expected the summary.json of a run; \(error.place)")
        }
    }

    /// The value of any key, if it is a number.
    private struct SchemaVersion: Decodable {
        let number: Int?
        init(from decoder: any Decoder) throws {
            number = try? decoder.singleValueContainer().decode(Int.self)
        }
    }

    /// The summaries under `path`: the file itself, that of a run's folder, or those of all runs in a folder.
    ///
    /// - Throws: ``HistoryError`` when there is none.
    package static func paths(under path: String) throws -> [String] {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw HistoryError("\(path): there is no such file or folder")
        }
        guard isFolder.boolValue else { return [path] }
        let own = path + "/summary.json"
        if files.fileExists(atPath: own) { return [own] }
        let found = ((try? files.contentsOfDirectory(atPath: path)) ?? []).sorted()
            .map { "\(path)/\($0)/summary.json" }.filter(files.fileExists(atPath:))
        if found.isEmpty { throw HistoryError("\(path): no run here has a summary.json") }
        return found
    }
}

package struct HistoryError: Error, CustomStringConvertible, Sendable {
    package let description: String

    init(_ description: String) { self.description = description }
}

struct HistoryFigure: Sendable {
    let name: String
    let chart: Chart
    /// The value in a run in the chart's unit, if it has one.
    let value: @Sendable (HistoryRun.Summary) -> LineChart.Point?

    enum Chart: String, CaseIterable, Sendable {
        case recall = "Recall"
        case mistakes = "Mistakes"
        case skew = "Skew error"
        case offset = "Offset error"
        case latency = "Latency"
        case size = "Index size"

        var unit: String {
            switch self {
            case .recall, .mistakes: "%"
            case .skew: "%, median"
            case .offset: "ms, median"
            case .latency: "ms, median"
            case .size: "MB an hour"
            }
        }
    }

    static let all: [HistoryFigure] = [
        rate("recall", .recall) { $0.overall.recall },
        rate("recall at 0 false accepts", .recall) { $0.overall.recallAtZeroFalseAccepts },
        rate("false accepts", .mistakes) { $0.overall.falseAcceptRate },
        rate("wrong references", .mistakes) { $0.overall.wrongReferenceRate },
        number("frequency skew", .skew, times: 100) {
            ($0.overall.freeFrequencySkewError ?? $0.overall.frequencySkewError)?.medianAbsolute
        },
        number("time skew", .skew, times: 100) {
            ($0.overall.freeTimeSkewError ?? $0.overall.timeSkewError)?.medianAbsolute
        },
        number("offset", .offset, times: 1000) { $0.overall.offsetErrorSeconds?.medianAbsolute },
        number("latency, found", .latency) { $0.cost.latencyMilliseconds?.found?.median },
        number("latency, unknown", .latency) { $0.cost.latencyMilliseconds?.unknown?.median },
        number("index", .size, times: 1e-6) { $0.cost.indexBytesPerHour },
    ]

    private static func rate(
        _ name: String, _ chart: Chart,
        _ rate: @escaping @Sendable (HistoryRun.Summary) -> HistoryRun.Summary.Rate
    ) -> HistoryFigure {
        HistoryFigure(name: name, chart: chart) { summary in
            let figure = rate(summary)
            return figure.rate.map {
                .init(
                    x: 0, y: $0 * 100, lower: figure.lower.map { $0 * 100 },
                    upper: figure.upper.map { $0 * 100 })
            }
        }
    }

    private static func number(
        _ name: String, _ chart: Chart, times factor: Double = 1,
        _ number: @escaping @Sendable (HistoryRun.Summary) -> Double?
    ) -> HistoryFigure {
        HistoryFigure(name: name, chart: chart) { summary in
            number(summary).map { .init(x: 0, y: $0 * factor) }
        }
    }
}
