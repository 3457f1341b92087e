import Corpora
import Foundation
import Studies
import SystemIO

/// Writes the files of an arena.
package enum ArenaWriter {
    /// Writes `leaderboard.csv`, `leaderboard.md`, `cells.csv`, `pairs.csv`, `alone.csv` and `arena.html` into `folder`.
    ///
    /// - Parameters:
    ///   - commandLine: what was typed.
    ///   - charts: the chart library to put into the page; without one the page has tables only.
    /// - Returns: the path of the page.
    package static func write(
        _ model: ArenaModel, commandLine: String, to folder: String, charts: ChartLibrary? = .installed()
    ) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let files = [
            ("leaderboard.csv", ArenaTables.leaderboard(model)),
            ("leaderboard.md", ArenaMarkdown.text(model)),
            ("cells.csv", ArenaTables.cells(model)), ("pairs.csv", ArenaTables.pairs(model)),
            ("alone.csv", ArenaTables.lone(model)),
            ("arena.html", try ArenaPage.html(model, origin: origin(model, commandLine), charts: charts)),
        ]
        for (name, text) in files { try AtomicFile.write(text, to: "\(folder)/\(name)") }
        return "\(folder)/arena.html"
    }

    /// The leaderboard for a terminal.
    package static func summary(_ model: ArenaModel) -> String {
        model.standings.map { standing in
            let score = standing.model.overall
            return "\(standing.name): recall \(NumberText.rate(standing.recall)) "
                + "(\(NumberText.interval(standing.recall))) at 1 % false accepts, "
                + "\(NumberText.rate(score.recall)) at its own threshold with \(NumberText.rate(score.falseAcceptRate)) "
                + "false accepts, \(NumberText.count(score.errors)) errors"
        }.joined(separator: "\n").replacing(NumberText.blank, with: " ")
    }

    private static func origin(_ model: ArenaModel, _ commandLine: String) -> MeasurementOrigin {
        let facts = model.standings[0].model.facts
        let contestants = model.standings.map { standing in
            let matcher = standing.model.facts.matcher
            return (standing.name, "\(matcher.name) \(matcher.version) (\(ArenaText.settings(standing)))")
        }
        return MeasurementOrigin(
            matcher: .init(
                name: "\(model.standings.count) contestants", version: "",
                settings: Dictionary(contestants, uniquingKeysWith: { first, _ in first }),
                digest: model.standings.map { "\($0.name) \($0.model.facts.matcher.digest)" }
                    .joined(separator: ", ")),
            corpusName: facts.corpusName, corpusDigest: facts.corpusDigest,
            plan: "\(facts.planName) (\(facts.planDigest))", half: CorpusHalf(rawValue: facts.half) ?? .test,
            seed: facts.seed, commandLine: commandLine, commit: facts.commit, machine: facts.machine,
            startedAt: model.standings.map(\.model.facts.startedAt).min() ?? "", notes: facts.notes)
    }
}
