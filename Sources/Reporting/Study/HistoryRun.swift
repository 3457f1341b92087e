// SPDX-License-Identifier: GPL-3.0-or-later
import AudioCore
import Evaluation
import Foundation
import Metrics

/// The `summary.json` of a finished run.
package struct HistoryRun: Sendable {
    package let path: String
    let summary: Summary

    /// What a history needs of it.
    struct Summary: Decodable, Sendable {
        struct Rate: Decodable, Sendable {
            let rate: Double?
            let lower: Double?
            let upper: Double?
        }

        struct Cost: Decodable, Sendable {
            let latencyMilliseconds: LatencyByKind?
            let indexBytesPerHour: Double?
        }

        private enum Key: String, CodingKey { case overall, cost, run }

        /// By the figure's identifier; a summary of an earlier version lacks later ones.
        private(set) var rates: [String: Rate] = [:]
        private(set) var errors: [String: ErrorSummary] = [:]
        let cost: Cost
        let run: RunFacts

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let overall = try container.nestedContainer(keyedBy: JSONName.self, forKey: .overall)
            for figure in ScoreFigure.shown(in: .history).flatMap(\.sources) {
                let key = JSONName(figure.key)
                switch figure.value {
                case .rate: rates[figure.id] = try overall.decodeIfPresent(Rate.self, forKey: key)
                case .errors: errors[figure.id] = try overall.decodeIfPresent(ErrorSummary.self, forKey: key)
                default: break
                }
            }
            if rates.isEmpty {
                throw DecodingError.keyNotFound(
                    JSONName("recall"), .init(codingPath: overall.codingPath, debugDescription: "no figure"))
            }
            cost = try container.decode(Cost.self, forKey: .cost)
            run = try container.decode(RunFacts.self, forKey: .run)
        }
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
        guard let number = version.number else { throw HistoryError("\(path): has no `schemaVersion`") }
        if let refusal = Release.refusal(ofFormat: number, known: 1...ReportModel.schemaVersion) {
            throw HistoryError("\(path): \(refusal)")
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

/// A figure of the list, or the size of the index, as a history draws it.
struct HistoryFigure: Sendable {
    let name: String
    let chart: Chart
    /// The value in a run in the chart's unit, if it has one, of each quantity that the figure can be, the preferred first.
    let values: [@Sendable (HistoryRun.Summary) -> LineChart.Point?]

    /// The values in runs, all of the first quantity that most of them have, since different ones are not compared.
    func points(_ runs: [HistoryRun]) -> [LineChart.Point?] {
        let all = values.map { value in runs.map { value($0.summary) } }
        let most = all.map { $0.count { $0 != nil } }.max()
        return all.first { $0.count { $0 != nil } == most } ?? []
    }

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

    /// In the order of the charts.
    static let all: [HistoryFigure] = Chart.allCases.flatMap { chart in
        (ScoreFigure.shown(in: .history).map(HistoryFigure.init) + [index]).filter { $0.chart == chart }
    }

    private static let index = HistoryFigure(
        name: "index", chart: .size,
        values: [{ summary in summary.cost.indexBytesPerHour.map { .init(x: 0, y: $0 * 1e-6) } }])
}

extension HistoryFigure {
    init(_ figure: ScoreFigure) {
        let title = figure.title.prefix(1).lowercased() + figure.title.dropFirst()
        switch figure.kind {
        case .rate:
            self.init(
                name: title, chart: figure.isBetterHigh ? .recall : .mistakes,
                values: [
                    { summary in
                        guard let rate = summary.rates[figure.id], let value = rate.rate else { return nil }
                        return .init(
                            x: 0, y: value * 100, lower: rate.lower.map { $0 * 100 },
                            upper: rate.upper.map { $0 * 100 })
                    }
                ])
        case .error:
            let isOffset = figure.value.unit == .seconds
            // The chart says that it is an error.
            let name = title.replacing(" error", with: "")
            self.init(
                name: name, chart: isOffset ? .offset : .skew,
                values: figure.sources.map { source in
                    { summary -> LineChart.Point? in
                        guard let error = summary.errors[source.id]?.medianAbsolute else { return nil }
                        return .init(x: 0, y: error * (isOffset ? 1000 : 100))
                    }
                })
        case .latency:
            self.init(
                name: title, chart: .latency,
                values: [
                    { summary in
                        guard case .latency(let latency) = figure.value else { return nil }
                        return summary.cost.latencyMilliseconds.flatMap(latency).map {
                            .init(x: 0, y: $0.median)
                        }
                    }
                ])
        }
    }
}
